import { request } from "node:http"

/** How long the daemon may take; an agent waits for its hooks. */
const patienceMs = 300

/**
 * Hands standard input to the daemon and prints what the tool has to read. It starts nothing, says nothing when the
 * daemon is away or slow, and loads nothing that would take time.
 */
export async function runHook(socketPath: string, tool: string, event: string): Promise<void> {
  try {
    const body = await readInput()
    const answer = await ask(
      socketPath,
      `/v1/hooks/${encodeURIComponent(tool)}/${encodeURIComponent(event)}`,
      body,
    )
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

function ask(socketPath: string, path: string, body: Buffer): Promise<string> {
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
