import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { toolEnvironment } from "../../testkit/worlds/session-world.ts"
import type { Bench } from "../shared/figures.ts"
import { temporaryFolder } from "../shared/stores.ts"

/** The built program, as an installed `reverie` runs it. */
export const program = fileURLToPath(new URL("../../dist/main.js", import.meta.url))

/** A running daemon with a small store, of a user who has none of the tools. */
export interface SmallHome {
  env: NodeJS.ProcessEnv
  daemon: ChildProcess
}

/** Starts a daemon of the built program with a small store and the built-in embedder, as a new user has it. */
export async function startSmallHome(bench: Bench, settings = ""): Promise<SmallHome> {
  const home = temporaryFolder(bench)
  writeFileSync(join(home, "config.toml"), `[api]\nport = 0\n${settings}`, { mode: 0o600 })
  const user = temporaryFolder(bench)
  const tools = join(user, "tools")
  mkdirSync(tools)
  const env = {
    ...process.env,
    ...toolEnvironment(tools),
    HOME: user,
    REVERIE_HOME: home,
    REVERIE_MODELS: process.env.REVERIE_MODELS ?? join(process.env.HOME ?? "", ".cache/reverie/models"),
    REVERIE_DATABASE_URL: "",
  }
  const daemon = spawn(process.execPath, [program, "start", "--foreground"], {
    env,
    cwd: user,
    stdio: ["ignore", "ignore", "pipe"],
  })
  bench.atEnd(() => void daemon.kill("SIGKILL"))
  await ready(daemon)
  for (const text of smallStore)
    await once(spawn(process.execPath, [program, "add", text, "--global"], { env, cwd: user }), "close")
  return { env, daemon }
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

const smallStore = [
  "The staging database listens on port 5433",
  "Never push to main without a review",
  "Deploys run on Thursdays, from the release branch",
  "The nightly backup goes to the second region",
  "Answers should be short and in plain English",
]
