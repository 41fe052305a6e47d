import { connect } from "node:net"

/** One request to an HTTP server on a Unix socket. */
interface SocketRequest {
  socket: string
  method: string
  /** Path and query. */
  path: string
  headers?: Record<string, string>
  body?: Uint8Array | undefined
  /** How long the server may take to start its response. */
  timeoutMs: number
  /** The error if it takes longer. */
  timeoutError: () => Error
}

/** A complete response. */
export interface SocketResponse {
  status: number
  /** Names are in lower case. */
  headers: Record<string, string>
  body: Buffer
}

/**
 * Sends a request and waits for the complete response. It implements HTTP/1.0, where the server closes the connection at
 * the end, because loading Node's HTTP client takes longer than starting Node.
 */
export function requestOverSocket(question: SocketRequest): Promise<SocketResponse> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const call = connect(question.socket)
    call.setTimeout(question.timeoutMs, () => call.destroy(question.timeoutError()))
    call.on("data", (part: Buffer) => {
      call.setTimeout(0)
      parts.push(part)
    })
    call.on("error", reject)
    call.on("end", () => {
      const answer = parseResponse(Buffer.concat(parts))
      if (answer === undefined) reject(connectionReset())
      else resolve(answer)
    })
    const body = question.body ?? new Uint8Array()
    const headers = { host: "localhost", ...question.headers, "content-length": String(body.length) }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const head = [`${question.method} ${question.path} HTTP/1.0`, ...lines, "", ""].join("\r\n")
    // Head and body are one write, so that an early response cannot separate them.
    call.write(Buffer.concat([Buffer.from(head), body]))
  })
}

/** Parses a response; undefined if it is incomplete. */
function parseResponse(bytes: Buffer): SocketResponse | undefined {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1])
  const headers = Object.fromEntries(lines.map(parseHeader))
  const body = bytes.subarray(end + 4)
  const length = headers["content-length"]
  if (Number.isNaN(status) || (length !== undefined && body.length < Number(length))) return undefined
  return { status, headers, body }
}

function parseHeader(line: string): [string, string] {
  const colon = line.indexOf(":")
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

function connectionReset(): Error {
  return Object.assign(new Error("The response was cut off."), { code: "ECONNRESET" })
}
