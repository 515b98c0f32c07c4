// Written by `remembrancer connect`, which takes it back with --undo.
import { spawn } from "node:child_process"

const COMMAND = "@COMMAND@"
const SECONDS = 25

// Run the hook with its JSON; resolve with what it prints, or with "" whatever goes wrong: a session never fails for it.
const hook = (event, given, { wait }) =>
  new Promise((resolve) => {
    const [program, ...words] = COMMAND
    const stdio = ["pipe", wait ? "pipe" : "ignore", "ignore"]
    const child = spawn(program, [...words, event], { stdio, detached: !wait })
    let said = ""
    const timer = setTimeout(() => (child.kill(), resolve("")), SECONDS * 1000)
    const end = (text) => (clearTimeout(timer), resolve(text))
    child.on("error", () => end(""))
    child.stdin.on("error", () => end(""))
    child.stdout?.on("data", (data) => (said += data))
    if (wait) child.on("close", () => end(said))
    child.stdin.end(JSON.stringify(given), () => wait || (child.unref(), end("")))
  })

const tell = async (event, given) => {
  try {
    return JSON.parse(await hook(event, given, { wait: true })).additionalContext ?? ""
  } catch {
    return ""
  }
}

const keep = (given) => hook("session-end", given, { wait: false })

