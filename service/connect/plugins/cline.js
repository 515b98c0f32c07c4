let session, folder, brief

export default {
  name: "remembrancer",
  manifest: { capabilities: ["rules", "hooks"] },
  setup(api, context) {
    session = context?.session?.sessionId
    folder = context?.workspaceInfo?.rootPath
    const content = () => (brief ??= tell("session-start", { session_id: session, cwd: folder }))
    api.registerRule({ id: "remembrancer", source: "remembrancer", content })
  },
  hooks: {
    afterRun: async ({ snapshot }) => {
      if (snapshot.parentAgentId) return
      await keep({ session_id: session ?? snapshot.conversationId, cwd: folder, messages: snapshot.messages })
    },
  },
}
