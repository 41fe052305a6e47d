import { isOwnSocket } from "../base/files/own-socket.ts"
import { askSocket } from "../base/net/ask-socket.ts"

interface HookCall {
  socket: string
  tool: string
  event: string
  /** How long the daemon may stay silent, as a text; an agent waits for its hooks. */
  seconds: string | undefined
}

const usualMs = 300

/**
 * Hands standard input to the daemon and prints what the tool has to read. It starts nothing, says nothing when the
 * daemon is away or slow.
 */
export async function runHook({ socket, tool, event, seconds }: HookCall): Promise<void> {
  try {
    const path = `/v1/hooks/${encodeURIComponent(tool)}/${encodeURIComponent(event)}`
    const patienceMs = Number(seconds) > 0 ? Number(seconds) * 1000 : usualMs
    const input = await readInput()
    if (!isOwnSocket(socket)) return
    const headers = { "content-type": "application/json" }
    const tooSlow = () => new Error("too slow")
    const question = { socket, method: "POST", path, headers, body: input, patienceMs, tooSlow }
    const { status, body } = await askSocket(question)
    if (status === 200 && body.length > 0) process.stdout.write(`${body}\n`)
  } catch {
    // Whatever it is, the agent's user cannot mend it now; `reverie doctor` tells.
  }
}

function readInput(): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    process.stdin.on("data", (part: Buffer) => parts.push(part))
    process.stdin.on("error", reject)
    process.stdin.on("end", () => resolve(Buffer.concat(parts)))
  })
}
