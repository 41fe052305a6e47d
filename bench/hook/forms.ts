import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import type { Bench } from "../shared/figures.ts"
import type { Installed } from "./installed.ts"

/** Runs a hook as an agent does, with this input, and settles when the agent could go on. */
export type HookForm = (input: string) => Promise<void>

/** Our hook in its three forms. */
export function hookForms({
  command,
  socket,
  nodeProgram,
  url,
  token,
}: Installed & { token: string }): Record<string, HookForm> {
  const path = "/v1/hooks/claude-code/UserPromptSubmit"
  return {
    http: (input) => post(url + path, token, input),
    curl: (input) => inShell(command, input),
    node: (input) =>
      inShell(`'${process.execPath}' '${nodeProgram}' '${socket}' claude-code UserPromptSubmit 0.3`, input),
  }
}

/** Hooks of the same kinds that take what they are given and do nothing. */
export async function emptyForms(bench: Bench, folder: string): Promise<Record<string, HookForm>> {
  const shell = join(folder, "empty-hook")
  writeFileSync(shell, "#!/bin/sh\ncat >/dev/null\n")
  chmodSync(shell, 0o755)
  const script = join(folder, "empty-hook.mjs")
  writeFileSync(script, "for await (const part of process.stdin) void part\n")
  const url = await serveNothing(bench, folder)
  return {
    http: (input) => post(url, "none", input),
    curl: (input) => inShell(`[ ! -x '${shell}' ] || '${shell}'`, input),
    node: (input) => inShell(`'${process.execPath}' '${script}'`, input),
  }
}

/** A server in a process of its own that reads what it is sent and has nothing to say. */
async function serveNothing(bench: Bench, folder: string): Promise<string> {
  const script = join(folder, "empty-server.mjs")
  writeFileSync(
    script,
    `import { createServer } from "node:http"
const server = createServer((incoming, response) => {
  incoming.resume().on("end", () => response.writeHead(204).end())
})
server.listen(0, "127.0.0.1", () => process.stdout.write(String(server.address().port)))
`,
  )
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] })
  bench.atEnd(() => void child.kill("SIGKILL"))
  const [port] = await once(child.stdout, "data")
  return `http://127.0.0.1:${port}/`
}

function post(url: string, token: string, input: string): Promise<void> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` }
  return new Promise((resolve) => {
    const call = request(url, { method: "POST", headers, agent: false }, (response) => {
      response.resume().on("close", resolve)
    })
    // Nobody there: that is what an agent finds as well.
    call.on("error", () => resolve())
    call.end(input)
  })
}

async function inShell(command: string, input: string): Promise<void> {
  const child = spawn("/bin/sh", ["-c", command], { stdio: ["pipe", "pipe", "inherit"] })
  child.stdout.resume()
  child.stdin.end(input)
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`the hook ended with ${code}`)
}
