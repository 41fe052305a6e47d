import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, onTestFinished } from "vitest"
import type { HookTool } from "../../src/coding/hooks/dialect.ts"
import type { ModelServer } from "../../testkit/model-server/model-server.ts"
import { serveModel } from "../../testkit/model-server/serve-model.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import {
  createPlainInstallation,
  type Ended,
  ending,
  type Installation,
} from "../../testkit/program/program.ts"

/** Where scripts/install-clients puts the real programs. */
const programs = join(import.meta.dirname, "../../node_modules/.cache/clients/bin")
const node = join(import.meta.dirname, "../../node_modules/.bin")

/** Whether they are all there. */
const areAgentsThere = ["claude", "codex", "gemini", "opencode"].every((name) =>
  existsSync(join(programs, name)),
)
/** Tests with the real programs; in CI they may not be missing. */
export const describeWithAgents = describe.skipIf(!areAgentsThere && process.env.CI !== "true")

/** A call of one of an agent's own tools, as its model would make it. */
interface ToolCall {
  name: string
  input: unknown
}

/** A user with all four agents, a model server in place of every provider's, and Reverie. */
export interface HookWorld {
  server: ModelServer
  installation: Installation
  /** The folder the agents work in. */
  project: string
  user: string
  /** Starts an agent with one prompt; it ends when that is answered. */
  start(tool: HookTool, prompt: string): ChildProcess
  /** The same, waited for. */
  ask(tool: HookTool, prompt: string): Promise<Ended>
  /** A call of the agent's own tool that reads a file, and one that writes one. */
  reading(tool: HookTool, file: string): ToolCall
  writing(tool: HookTool, file: string, content: string): ToolCall
  /** Everything an agent has written down about its sessions. */
  transcripts(tool: HookTool): string
}

export async function createHookWorld(): Promise<HookWorld> {
  const server = await serveModel({ models: ["scripted-model", "claude-sonnet-4-5", "gpt-5.5"] })
  const user = throwawayFolder()
  const project = throwawayFolder()
  const env = userEnvironment(user, server)
  for (const agent of Object.values(agents)) agent.furnish?.(user, server)
  const unset = {
    CLAUDE_CONFIG_DIR: "",
    CODEX_HOME: "",
    XDG_CONFIG_HOME: "",
    XDG_DATA_HOME: "",
    GEMINI_CLI_HOME: "",
  }
  const installation = createPlainInstallation({ env: { ...env, ...unset }, cwd: project })
  const start = (tool: HookTool, prompt: string) => {
    const [program = "", ...args] = agents[tool].command(prompt)
    const child = spawn(join(programs, program), args, {
      cwd: project,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    })
    onTestFinished(() => endGroup(child))
    return child
  }
  return {
    server,
    installation,
    project,
    user,
    start,
    ask: (tool, prompt) => ending(start(tool, prompt)),
    reading: (tool, file) => agents[tool].reading(file),
    writing: (tool, file, content) => agents[tool].writing(file, content),
    transcripts: (tool) => textsBelow(join(user, agents[tool].transcripts)),
  }
}

/** What an agent left running goes with it. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // All of it has ended.
  }
}

/** Nothing of whoever runs the tests, and no way to the network. */
function userEnvironment(user: string, server: ModelServer): Record<string, string> {
  return {
    PATH: `${node}:/usr/bin:/bin`,
    HOME: user,
    LANG: "C.UTF-8",
    REVERIE_HOOK_SECONDS: "20",
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "not-a-real-key-000000",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    GOOGLE_GEMINI_BASE_URL: server.url,
    GEMINI_API_KEY: "not-a-real-key-000000",
    // It would start itself a second time, with more memory than a few words take.
    GEMINI_CLI_NO_RELAUNCH: "true",
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    // opencode lives for seconds here: compiling its code a second time, for speed, takes longer than it saves.
    BUN_JSC_useDFGJIT: "0",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    // Where there are plugins opencode fetches a package for them, which ours does not need.
    npm_config_registry: "http://127.0.0.1:9",
    npm_config_fetch_retries: "0",
  }
}

interface Agent {
  command(prompt: string): string[]
  /** Calls of its own tools, as its model would make them. */
  reading(file: string): ToolCall
  writing(file: string, content: string): ToolCall
  /** Puts its settings into the user's home. */
  furnish?(user: string, server: ModelServer): void
  /** Where below the user's home it writes down what was said. */
  transcripts: string
}

const agents: Record<HookTool, Agent> = {
  "claude-code": {
    command: (prompt) => [
      ...["claude", "-p", prompt, "--model", "claude-sonnet-4-5"],
      ...["--permission-mode", "acceptEdits"],
    ],
    reading: (file) => ({ name: "Read", input: { file_path: file } }),
    writing: (file, content) => ({ name: "Write", input: { file_path: file, content } }),
    transcripts: ".claude/projects",
  },
  codex: {
    // Trusting hooks takes a person at a terminal.
    command: (prompt) => [
      "codex",
      "exec",
      "--dangerously-bypass-hook-trust",
      "--skip-git-repo-check",
      prompt,
    ],
    furnish(user, server) {
      const provider = `name = "scripted"\nbase_url = "${server.url}/v1"\nwire_api = "responses"\n`
      // Where bubblewrap is installed codex would run commands in it, and not find its own part of it in here.
      const open = 'sandbox_mode = "danger-full-access"\n'
      const head = `model = "gpt-5.5"\nmodel_provider = "scripted"\n${open}`
      write(join(user, ".codex/config.toml"), `${head}\n[model_providers.scripted]\n${provider}`)
    },
    reading: (file) => ({ name: "exec_command", input: { cmd: `cat '${file}'` } }),
    writing: (file, content) => ({
      name: "exec_command",
      input: { cmd: `printf '%s' '${content}' > '${file}'` },
    }),
    transcripts: ".codex/sessions",
  },
  "gemini-cli": {
    command: (prompt) => [
      ...["gemini", "--skip-trust", "--approval-mode", "auto_edit"],
      ...["-m", "gemini-2.5-pro", "-p", prompt],
    ],
    furnish(user) {
      const settings = { security: { auth: { selectedType: "gemini-api-key" } } }
      write(join(user, ".gemini/settings.json"), JSON.stringify(settings))
    },
    reading: (file) => ({ name: "read_file", input: { file_path: file } }),
    writing: (file, content) => ({ name: "write_file", input: { file_path: file, content } }),
    transcripts: ".gemini/tmp",
  },
  opencode: {
    command: (prompt) => ["opencode", "run", "-m", "scripted/scripted-model", ...prompt.split(" ")],
    furnish(user, server) {
      const options = { baseURL: `${server.url}/v1`, apiKey: "not-a-real-key" }
      const models = { "scripted-model": { name: "Scripted" } }
      const scripted = { npm: "@ai-sdk/openai-compatible", name: "Scripted", options, models }
      const settings = { provider: { scripted }, small_model: "scripted/scripted-model" }
      write(join(user, ".config/opencode/opencode.json"), JSON.stringify(settings))
    },
    reading: (file) => ({ name: "read", input: { filePath: file } }),
    writing: (file, content) => ({ name: "write", input: { filePath: file, content } }),
    transcripts: ".local/share/opencode",
  },
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600 })
}

function textsBelow(folder: string): string {
  if (!existsSync(folder)) return ""
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("\n")
}
