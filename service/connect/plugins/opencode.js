const words = (parts) => parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")

export const Remembrancer = async ({ client, directory }) => {
  const told = new Map()
  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      if (told.has(sessionID)) return
      told.set(sessionID, "")
      told.set(sessionID, await tell("session-start", { session_id: sessionID, cwd: directory, prompt: words(parts) }))
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (told.get(sessionID)) system.push(told.get(sessionID))
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle" && event.type !== "session.compacted") return
      const path = { id: event.properties.sessionID }
      try {
        const { data: session } = await client.session.get({ path })
        if (session.parentID) return
        const { data: messages } = await client.session.messages({ path })
        await keep({ session_id: path.id, cwd: session.directory ?? directory, messages })
      } catch {}
    },
  }
}
