import { connect } from "node:net"
import { isOwnSocket } from "../base/files/own-socket.ts"

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
 * daemon is away or slow, and speaks HTTP by hand: loading Node's own would take longer than all the rest.
 */
export async function runHook({ socket, tool, event, seconds }: HookCall): Promise<void> {
  try {
    const path = `/v1/hooks/${encodeURIComponent(tool)}/${encodeURIComponent(event)}`
    const patienceMs = Number(seconds) > 0 ? Number(seconds) * 1000 : usualMs
    const input = await readInput()
    if (!isOwnSocket(socket)) return
    const answer = await ask({ socket, path, patienceMs }, input)
    if (answer !== "") process.stdout.write(`${answer}\n`)
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

interface Question {
  socket: string
  path: string
  patienceMs: number
}

/** In HTTP's first version an answer is whole when the other side closes. */
function ask({ socket, path, patienceMs }: Question, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const call = connect(socket)
    call.setTimeout(patienceMs, () => call.destroy(new Error("too slow")))
    call.on("data", (part: Buffer) => parts.push(part))
    call.on("error", reject)
    call.on("end", () => resolve(bodyIn(Buffer.concat(parts).toString())))
    const head = [
      `POST ${path} HTTP/1.0`,
      "host: localhost",
      "content-type: application/json",
      `content-length: ${body.length}`,
    ]
    call.write(`${head.join("\r\n")}\r\n\r\n`)
    call.write(body)
  })
}

function bodyIn(answer: string): string {
  const [head = "", ...rest] = answer.split("\r\n\r\n")
  return /^HTTP\/1\.[01] 200 /.test(head) ? rest.join("\r\n\r\n") : ""
}
