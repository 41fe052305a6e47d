import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import type { Bench } from "../shared/figures.ts"
import { temporaryFolder } from "../shared/stores.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))
/** What hooks run where there is no curl. */
const nodeProgram = fileURLToPath(new URL("../../dist/hook.cjs", import.meta.url))

/** A daemon with a tool connected to it. */
export interface Installed {
  /** The command that stands in the tool's settings. */
  command: string
  socket: string
  nodeProgram: string
  /** Where the daemon answers over HTTP. */
  url: string
  installFile: string
  stop(): Promise<void>
}

/** Starts a daemon of its own and connects a tool, as a user would. */
export async function createInstalled(bench: Bench): Promise<Installed> {
  const home = temporaryFolder(bench)
  const user = temporaryFolder(bench)
  mkdirSync(join(user, ".claude"))
  writeFileSync(join(home, "config.toml"), '[embedding]\nmodel = "none"\n[api]\nport = 0\n', { mode: 0o600 })
  const env = { ...process.env, REVERIE_HOME: home, HOME: user, CLAUDE_CONFIG_DIR: "" }
  const paths = pathsFor(readEnvironment(env))
  const daemon = spawn(program, ["start", "--foreground"], { env, stdio: ["ignore", "ignore", "pipe"] })
  bench.atEnd(() => void daemon.kill("SIGKILL"))
  await ready(daemon)
  await once(spawn(program, ["connect", "claude-code", "--yes"], { env, stdio: "ignore" }), "close")
  const { hooks } = JSON.parse(readFileSync(join(user, ".claude/settings.json"), "utf8"))
  return {
    command: hooks.UserPromptSubmit[0].hooks[0].command,
    socket: paths.socket,
    nodeProgram,
    url: await urlOf(env),
    installFile: paths.installFile,
    async stop() {
      daemon.kill("SIGTERM")
      await once(daemon, "close")
    },
  }
}

/** Settles when the daemon says that it runs; what it says later is read too, so that it can say it. */
function ready(daemon: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    daemon.once("close", () => reject(new Error("the daemon ended")))
    daemon.stderr?.on("data", (chunk) => {
      if (String(chunk).includes("Ctrl-C")) resolve()
    })
  })
}

async function urlOf(env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(program, ["status", "--json"], { env, stdio: ["ignore", "pipe", "ignore"] })
  let text = ""
  for await (const chunk of child.stdout) text += chunk
  return JSON.parse(text).daemon.url
}
