import { isOwnSocket } from "../base/files/own-socket.ts"
import { requestOverSocket } from "../base/net/socket-request.ts"

interface HookCall {
  socket: string
  tool: string
  event: string
  /** Timeout as a text; an agent waits for its hooks. */
  seconds: string | undefined
}

const defaultMs = 300

/** Sends standard input to the daemon and prints the answer. Starts nothing; prints nothing if the daemon is down or slow. */
export async function runHook({ socket, tool, event, seconds }: HookCall): Promise<void> {
  try {
    const path = `/v1/hooks/${encodeURIComponent(tool)}/${encodeURIComponent(event)}`
    const timeoutMs = Number(seconds) > 0 ? Number(seconds) * 1000 : defaultMs
    const input = await readInput()
    if (!isOwnSocket(socket)) return
    const headers = { "content-type": "application/json" }
    const timeoutError = () => new Error("too slow")
    const request = { socket, method: "POST", path, headers, body: input, timeoutMs, timeoutError }
    const { status, body } = await requestOverSocket(request)
    if (status === 200 && body.length > 0) process.stdout.write(`${body}\n`)
  } catch {
    // The agent's user cannot fix it now; `reverie doctor` reports it.
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
