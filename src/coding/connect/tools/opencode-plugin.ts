import { hookSeconds } from "../hook-command.ts"

/** By this line the plugin is known as ours. */
export const pluginMark = "// Reverie's plugin for opencode, written by `reverie connect opencode`."

/**
 * The plugin, which runs inside opencode: it tells the daemon what happens, and puts what comes back behind the user's
 * words or a tool's output. Whatever goes wrong there is nobody's business: it gives nothing then.
 */
export function pluginText(socket: string): string {
  return `${pluginMark}
// \`reverie connect opencode --uninstall\` takes it away again.
import { statSync } from "node:fs"
import { request } from "node:http"
import { dirname } from "node:path"

const socketPath = ${JSON.stringify(socket)}
const patienceMs = 1000 * Number(process.env.REVERIE_HOOK_SECONDS || ${hookSeconds})

/** What the daemon has to say about an event; empty when it is away, slow or has nothing. */
function tell(event, body) {
  if (!isOurs()) return Promise.resolve("")
  return new Promise((resolve) => {
    const path = "/v1/hooks/opencode/" + event
    const headers = { "content-type": "application/json", host: "localhost" }
    const call = request({ socketPath, path, method: "POST", headers, agent: false }, (answer) => {
      let text = ""
      answer.setEncoding("utf8")
      answer.on("data", (part) => (text += part))
      answer.on("error", () => finish(""))
      answer.on("end", () => finish(contextIn(answer.statusCode, text)))
    })
    const timer = setTimeout(() => finish(""), patienceMs)
    function finish(context) {
      clearTimeout(timer)
      resolve(context)
      call.destroy()
    }
    call.on("error", () => finish(""))
    call.end(JSON.stringify(body))
  })
}

/** Whether nobody else can have put the socket there: it is ours, in a folder that others cannot change. */
function isOurs() {
  try {
    const me = process.getuid?.()
    const folder = statSync(dirname(socketPath))
    if (me === undefined) return true
    if (statSync(socketPath).uid !== me || (folder.mode & 2) !== 0) return false
    return folder.uid === me || folder.uid === 0 || (me === 0 && (statSync(dirname(dirname(socketPath))).mode & 2) === 0)
  } catch {
    return false
  }
}

function contextIn(status, text) {
  try {
    return status === 200 ? String(JSON.parse(text).context ?? "") : ""
  } catch {
    return ""
  }
}

function textOf(parts) {
  return parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\\n")
}

/** An id that sorts behind the one it is made from, of the same form. */
function after(id) {
  return id.slice(0, -6) + "zzzz" + Math.random().toString(36).slice(2, 4).padEnd(2, "z")
}

export const Reverie = async ({ directory }) => {
  const started = new Set()
  const subagents = new Set()
  const output = new Map()
  const about = (sessionID, more) => ({ sessionID, directory, ...more })

  async function onEvent({ type, properties }) {
    if (type === "session.created" && properties.info?.parentID) subagents.add(properties.info.id)
    if (type === "message.part.updated") {
      const { part } = properties
      if (part?.type === "text" && part.time?.end && started.has(part.sessionID))
        output.set(part.sessionID, part.text)
    }
    if (type === "session.idle" && output.has(properties.sessionID)) {
      const text = output.get(properties.sessionID)
      output.delete(properties.sessionID)
      await tell("output", about(properties.sessionID, { text }))
    }
    if (type === "session.deleted" && started.delete(properties.info?.id))
      await tell("end", about(properties.info.id))
  }

  return {
    async event({ event }) {
      await onEvent(event).catch(() => {})
    },
    async "chat.message"({ sessionID }, { message, parts }) {
      try {
        const text = textOf(parts)
        if (subagents.has(sessionID) || text === "") return
        const isNew = !started.has(sessionID)
        started.add(sessionID)
        const first = isNew ? await tell("start", about(sessionID)) : ""
        const context = [first, await tell("prompt", about(sessionID, { text }))].filter(Boolean).join("\\n\\n")
        const last = parts.at(-1)
        if (context === "" || !last) return
        parts.push({
          id: after(last.id),
          sessionID,
          messageID: message.id,
          type: "text",
          text: context,
          synthetic: true,
        })
      } catch {}
    },
    async "tool.execute.before"({ tool, sessionID }, { args }) {
      const held = started.has(sessionID) ? await tell("call", about(sessionID, { tool, args })) : ""
      if (held !== "") throw new Error(held)
    },
    async "tool.execute.after"({ tool, sessionID, args }, result) {
      try {
        if (!started.has(sessionID) || typeof result?.output !== "string") return
        const isError = (result.metadata?.exit ?? 0) !== 0
        const context = await tell("tool", about(sessionID, { tool, args, text: result.output, isError }))
        if (context !== "") result.output += "\\n\\n" + context
      } catch {}
    },
  }
}
`
}
