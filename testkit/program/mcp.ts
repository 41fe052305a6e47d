import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { onTestFinished } from "vitest"
import { startInProcess } from "./in-process.ts"
import { createPlainInstallation, type Installation } from "./program.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

/** The two ways the protocol is spoken today. */
export const eras = {
  "2025-11-25": "legacy",
  "2026-07-28": { pin: "2026-07-28" },
} as const
export type Era = keyof typeof eras

const freePort = '[embedding]\nmodel = "none"\n[api]\nport = 0\n'

/** An installation whose daemon, if one is started, takes any port. */
export function installAnyPort(): Installation {
  const installation = createPlainInstallation()
  writeFileSync(join(installation.home, "config.toml"), freePort, { mode: 0o600 })
  return installation
}

/** The official client, with what tests ask it for most. */
export interface McpClient {
  client: Client
  /** Calls a tool that must do it, and gives what it answered. */
  call<T = Record<string, unknown>>(tool: string, input?: object): Promise<T>
  /** Calls a tool that must not do it, and gives its sentence. */
  refused(tool: string, input?: object): Promise<string>
}

interface StdioOptions {
  era?: Era
  /** The folder it is started in. */
  cwd?: string
  args?: string[]
  name?: string
}

/** Connects over standard input and output to `reverie mcp`, started in a folder. */
export async function connectStdio({ home }: Installation, options: StdioOptions = {}): Promise<McpClient> {
  const transport = new StdioClientTransport({
    command: program,
    args: ["mcp", ...(options.args ?? [])],
    env: { ...(process.env as Record<string, string>), REVERIE_HOME: home },
    cwd: options.cwd ?? home,
    stderr: "pipe",
  })
  return connected(transport, options.era, options.name)
}

/** The same with `reverie mcp` in this process, for tests that are about what it answers and not about its process. */
export async function connectHere({ home }: Installation, options: StdioOptions = {}): Promise<McpClient> {
  const variables = { ...process.env, REVERIE_HOME: home, REVERIE_COMMAND: program }
  const args = ["mcp", ...(options.args ?? [])]
  const { stdin, stdout, ended } = startInProcess({ args, variables, cwd: options.cwd ?? home })
  const transport: Transport = {
    async start() {
      const lines = createInterface({ input: stdout })
      lines.on("line", (line) => transport.onmessage?.(JSON.parse(line)))
      lines.on("close", () => transport.onclose?.())
    },
    async send(message) {
      stdin.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      stdin.end()
      await ended
    },
  }
  return connected(transport, options.era, options.name)
}

/** Connects over HTTP to a daemon that runs. */
export async function connectHttp(
  installation: Installation,
  options: { era?: Era; query?: string } = {},
): Promise<McpClient> {
  const { url, token } = await loopbackOf(installation)
  const transport = new StreamableHTTPClientTransport(new URL(`/mcp${options.query ?? ""}`, url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  return connected(transport, options.era)
}

/** Where a running daemon listens, and what it wants to be shown. */
export async function loopbackOf({ json, paths }: Installation): Promise<{ url: string; token: string }> {
  const { daemon } = await json<{ daemon: { url: string } }>("status")
  const { token } = JSON.parse(readFileSync(paths.installFile, "utf8"))
  return { url: daemon.url, token }
}

async function connected(
  transport: Transport,
  era: Era = "2025-11-25",
  name = "reverie-test",
): Promise<McpClient> {
  const client = new Client({ name, version: "1" }, { versionNegotiation: { mode: eras[era] } })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const ask = (name: string, input: object) =>
    client.callTool({ name, arguments: input as Record<string, unknown> })
  return {
    client,
    async call<T>(tool: string, input: object = {}) {
      const { isError, content, structuredContent } = await ask(tool, input)
      if (isError) throw new Error(`${tool} failed: ${textOf(content)}`)
      const text = textOf(content)
      if (!/^<reverie-memory>\n[^{]/.test(text)) throw new Error(`${tool} says no readable text: ${text}`)
      return structuredContent as T
    },
    async refused(tool, input = {}) {
      const { isError, content } = await ask(tool, input)
      if (!isError) throw new Error(`${tool} was not refused: ${textOf(content)}`)
      return textOf(content)
    },
  }
}

function textOf(content: unknown): string {
  const [first] = content as { type: string; text?: string }[]
  return first?.text ?? ""
}
