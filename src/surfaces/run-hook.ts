import { request } from "node:http"

interface HookCall {
  socket: string
  tool: string
  event: string
  /** How long the daemon may take, as a text; an agent waits for its hooks. */
  seconds: string | undefined
}

const usualMs = 300

/**
 * Hands standard input to the daemon and prints what the tool has to read. It starts nothing, says nothing when the
 * daemon is away or slow, and loads nothing that would take time.
 */
export async function runHook({ socket, tool, event, seconds }: HookCall): Promise<void> {
  try {
    const path = `/v1/hooks/${encodeURIComponent(tool)}/${encodeURIComponent(event)}`
    const patienceMs = Number(seconds) > 0 ? Number(seconds) * 1000 : usualMs
    const answer = await ask({ socket, path, patienceMs }, await readInput())
    if (answer !== "") process.stdout.write(`${answer}\n`)
  } catch {
    // Whatever it is, the agent's user cannot mend it now; `reverie doctor` tells.
  }
}

async function readInput(): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part)
  return Buffer.concat(parts)
}

interface Question {
  socket: string
  path: string
  patienceMs: number
}

function ask({ socket: socketPath, path, patienceMs }: Question, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": body.length, host: "localhost" }
    const signal = AbortSignal.timeout(patienceMs)
    const call = request({ socketPath, path, method: "POST", headers, agent: false, signal }, (response) => {
      const parts: Buffer[] = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("error", reject)
      response.on("end", () => resolve(response.statusCode === 200 ? Buffer.concat(parts).toString() : ""))
    })
    call.on("error", reject)
    call.end(body)
  })
}
