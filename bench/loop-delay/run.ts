import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { createClient } from "../../src/api/client.ts"
import { socketFetch } from "../../src/api/socket-fetch.ts"
import { systemRandom } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { lastSession, shapes, writeLast, writeTranscript } from "../../testkit/hostile/hostile-transcripts.ts"
import { toolEnvironment } from "../../testkit/worlds/session-world.ts"
import type { Benchmark, Figure } from "../shared/figures.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))
const probe = new URL("./probe.ts", import.meta.url).href

/** How long the real daemon's loop is held up while it reads transcripts that were made to hold it up. */
export const loopDelay: Benchmark = {
  about: "how long the daemon's loop is held up, and its memory, while it reads hostile transcripts",
  options: {
    megabytes: { type: "string", help: "how much there is to read (default 100)" },
    after: { type: "string", help: "seconds to measure on after all is read (default 20)" },
  },
  async run({ say, options, atEnd }) {
    const megabytes = Number(options.megabytes ?? 100)
    const folder = mkdtempSync(join(tmpdir(), "reverie-loop-"))
    atEnd(() => rmSync(folder, { recursive: true, force: true }))
    const tools = join(folder, "tools")
    const names = Object.keys(shapes)
    for (const shape of names) writeTranscript(join(tools, "claude"), shape, (megabytes * 1e6) / names.length)
    writeLast(join(tools, "claude"))
    const told = join(folder, "delay.json")
    const home = join(folder, "home")
    mkdirSync(home)
    writeFileSync(join(home, "config.toml"), '[embedding]\nmodel = "none"\n')
    const env = {
      ...process.env,
      ...toolEnvironment(tools),
      REVERIE_HOME: home,
      REVERIE_DATABASE_URL: "",
      REVERIE_LOOP_DELAY_FILE: told,
      NODE_OPTIONS: `--import ${probe}`,
    }
    const daemon = spawn(program, ["start", "--foreground"], { env, stdio: "ignore" })
    atEnd(() => void daemon.kill("SIGKILL"))
    const ended = new Promise<never>((_, failed) =>
      daemon.on("exit", (code, signal) => failed(new Error(`the daemon ended (${code ?? signal})`))),
    )
    ended.catch(() => undefined)
    const began = performance.now()
    const client = createClient({
      fetch: socketFetch(pathsFor(readEnvironment(env)).socket),
      random: systemRandom,
      actor: "bench",
    })
    const isRead = async () => {
      const { sessions } = await client.sessions({ limit: 1000 })
      return sessions.some(({ id }) => id === lastSession)
    }
    say(`reading ${megabytes} MB in ${names.length} shapes`)
    while (!(await Promise.race([isRead().catch(() => false), ended]))) await wait(500)
    const seconds = (performance.now() - began) / 1000
    await Promise.race([wait(Number(options.after ?? 20) * 1000), ended])
    return figuresOf(JSON.parse(readFileSync(told, "utf8")), seconds)
  },
}

interface Measured {
  p50: number
  p99: number
  max: number
  peakRss: number
}

function figuresOf({ p50, p99, max, peakRss }: Measured, seconds: number): Figure[] {
  const lower = "lower" as const
  return [
    { id: "loop-delay.p50", value: p50, unit: "ms", better: lower },
    { id: "loop-delay.p99", value: p99, unit: "ms", better: lower },
    { id: "loop-delay.max", value: max, unit: "ms", better: lower },
    { id: "memory.peak", value: peakRss / 1e6, unit: "MB", better: lower },
    { id: "read-in", value: seconds, unit: "s", better: lower },
  ]
}
