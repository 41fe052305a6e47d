import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach } from "vitest"
import { type Client, createClient } from "../../src/api/client.ts"
import { socketFetch } from "../../src/api/socket-fetch.ts"
import { systemRandom } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { toolEnvironment } from "../worlds/session-world.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

/** A real daemon that several tests use. */
export interface SharedDaemon {
  client: Client
  process: ChildProcess
  home: string
  /** Where coding agents have their files; see `toolEnvironment`. */
  tools: string
  /** How much memory it takes, in megabytes. */
  megabytes(): number
}

/** Gives each test of a file the same daemon, which asks no model; after a test that failed the next gets a new one. */
export function shareDaemon(): () => Promise<SharedDaemon> {
  let shared: SharedDaemon | undefined
  const end = () => {
    if (shared === undefined) return
    shared.process.kill("SIGKILL")
    for (const folder of [shared.home, shared.tools]) rmSync(folder, { recursive: true, force: true })
    shared = undefined
  }
  afterEach(({ task }) => {
    if (task.result?.state === "fail") end()
  })
  afterAll(end)
  return async () => {
    shared ??= await startDaemon()
    return shared
  }
}

async function startDaemon(): Promise<SharedDaemon> {
  const folder = () => mkdtempSync(join(realpathSync(tmpdir()), "reverie test-"))
  const [home, tools] = [folder(), folder()]
  const config = '[embedding]\nmodel = "none"\n\n[models]\nprovider = "none"\n'
  writeFileSync(join(home, "config.toml"), config, { mode: 0o600 })
  const env = { ...process.env, ...toolEnvironment(tools), REVERIE_HOME: home, REVERIE_DATABASE_URL: "" }
  const child = spawn(program, ["start", "--foreground"], {
    cwd: home,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  })
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (chunk) => {
      if (String(chunk).includes("Ctrl-C")) resolve()
    })
    child.on("close", () => reject(new Error("the daemon ended")))
  })
  const { socket } = pathsFor(readEnvironment(env))
  return {
    client: createClient({ fetch: socketFetch(socket), random: systemRandom, actor: "test" }),
    process: child,
    home,
    tools,
    megabytes() {
      const [, kilobytes = "0"] =
        /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? []
      return Number(kilobytes) / 1024
    },
  }
}
