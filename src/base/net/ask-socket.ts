import { connect } from "node:net"

/** One question to an HTTP server behind a Unix socket. */
interface SocketQuestion {
  socket: string
  method: string
  /** Path and query. */
  path: string
  headers?: Record<string, string>
  body?: Uint8Array | undefined
  /** How long the server may take to begin its answer. */
  patienceMs: number
  /** What to fail with where it takes longer. */
  tooSlow: () => Error
}

/** The whole answer. */
export interface SocketAnswer {
  status: number
  /** Names are in lower case. */
  headers: Record<string, string>
  body: Buffer
}

/**
 * Asks, and waits for the whole answer. It speaks HTTP by hand: loading Node's own takes longer than starting Node.
 * In HTTP's first version an answer is whole when the other side closes.
 */
export function askSocket(question: SocketQuestion): Promise<SocketAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const call = connect(question.socket)
    call.setTimeout(question.patienceMs, () => call.destroy(question.tooSlow()))
    call.on("data", (part: Buffer) => {
      call.setTimeout(0)
      parts.push(part)
    })
    call.on("error", reject)
    call.on("end", () => {
      const answer = answerIn(Buffer.concat(parts))
      if (answer === undefined) reject(cutOff())
      else resolve(answer)
    })
    const body = question.body ?? new Uint8Array()
    const headers = { host: "localhost", ...question.headers, "content-length": String(body.length) }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const head = [`${question.method} ${question.path} HTTP/1.0`, ...lines, "", ""].join("\r\n")
    // In one piece: an early answer cannot cut the body off from its head.
    call.write(Buffer.concat([Buffer.from(head), body]))
  })
}

/** What the bytes say; undefined where some are missing. */
function answerIn(bytes: Buffer): SocketAnswer | undefined {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1])
  const headers = Object.fromEntries(lines.map(headerIn))
  const body = bytes.subarray(end + 4)
  const length = headers["content-length"]
  if (Number.isNaN(status) || (length !== undefined && body.length < Number(length))) return undefined
  return { status, headers, body }
}

function headerIn(line: string): [string, string] {
  const colon = line.indexOf(":")
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

function cutOff(): Error {
  return Object.assign(new Error("The answer was cut off."), { code: "ECONNRESET" })
}
