// Reverie's plugin for opencode, written by `reverie connect opencode`.
// `reverie connect opencode --uninstall` removes it.
import { statSync } from "node:fs"
import { request } from "node:http"
import { dirname } from "node:path"

const socketPath = "@SOCKET@"
const timeoutMs = 1000 * Number(process.env.REVERIE_HOOK_SECONDS || 0.3)

/** The daemon's answer to an event; empty if it does not run, is too slow or has nothing to say. */
function askDaemon(event, body) {
  if (!isOwnSocket()) return Promise.resolve("")
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
    const timer = setTimeout(() => finish(""), timeoutMs)
    function finish(context) {
      clearTimeout(timer)
      resolve(context)
      call.destroy()
    }
    call.on("error", () => finish(""))
    call.end(JSON.stringify(body))
  })
}

/** Whether no other user can have created the socket: it belongs to this user, in a folder that others cannot write. */
function isOwnSocket() {
  try {
    const me = process.getuid?.()
    const folder = statSync(dirname(socketPath))
    if (me === undefined) return true
    if (statSync(socketPath).uid !== me || (folder.mode & 2) !== 0) return false
    return (
      folder.uid === me ||
      folder.uid === 0 ||
      (me === 0 && (statSync(dirname(dirname(socketPath))).mode & 2) === 0)
    )
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
  return parts
    .filter((part) => part.type === "text" && !part.synthetic)
    .map((part) => part.text)
    .join("\n")
}

/** An id of the same form that sorts after the given one. */
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
      await askDaemon("output", about(properties.sessionID, { text }))
    }
    if (type === "session.deleted" && started.delete(properties.info?.id))
      await askDaemon("end", about(properties.info.id))
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
        const first = isNew ? await askDaemon("start", about(sessionID)) : ""
        const context = [first, await askDaemon("prompt", about(sessionID, { text }))]
          .filter(Boolean)
          .join("\n\n")
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
      const refusal = started.has(sessionID) ? await askDaemon("call", about(sessionID, { tool, args })) : ""
      if (refusal !== "") throw new Error(refusal)
    },
    async "tool.execute.after"({ tool, sessionID, args }, result) {
      try {
        if (!started.has(sessionID) || typeof result?.output !== "string") return
        const isError = (result.metadata?.exit ?? 0) !== 0
        const context = await askDaemon(
          "tool",
          about(sessionID, { tool, args, text: result.output, isError }),
        )
        if (context !== "") result.output += "\n\n" + context
      } catch {}
    },
  }
}
