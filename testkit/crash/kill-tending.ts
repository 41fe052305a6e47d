import { type ChildProcess, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { createClient } from "../../src/api/client.ts"
import { socketFetch } from "../../src/api/socket-fetch.ts"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import type { Database } from "../../src/storage/database.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { sql } from "../../src/storage/sql.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { playBusyAgent } from "./busy-agent.ts"
import { findFaults } from "./faults.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

/** How the daemon is to be killed while it tends. */
export interface KillPlan {
  home: string
  url: string
  server: ModelServer
  kills: number
  /** Called after each kill. */
  onKill?(kills: number): void
}

/** What came of it. */
export interface Killed {
  kills: number
  /** Cycles that were begun, and those that a kill interrupted. */
  cycles: number
  interrupted: number
  /** What the agent was told to be done, and how much of it is not there. */
  acknowledged: number
  lost: string[]
  twice: string[]
  /** Everything else that is not as it should be. */
  faults: string[]
}

/** Each text is there so often before the garden makes one of it. */
const copies = 6
const groups = 120

/**
 * Kills the daemon with SIGKILL at random moments of cycles: while it gardens and while its agent changes memories and
 * plans things. After each kill the store is looked at as it was left, and after the last one the work is let come to its end.
 */
export async function killTending(plan: KillPlan): Promise<Killed> {
  prepareHome(plan)
  await plant(plan)
  const ledger = playBusyAgent(plan.server)
  const lost = new Set<string>()
  const twice = new Set<string>()
  const faults = new Set<string>()
  let kills = 0
  const inspect = async (isOver: boolean) => {
    const found = await withStore(plan, (db) => findFaults(db, ledger, { copies, groups, isOver }))
    for (const one of found.lost) lost.add(one)
    for (const one of found.twice) twice.add(one)
    for (const one of found.faults) faults.add(`after ${kills} kills: ${one}`)
  }
  while (kills < plan.kills) {
    await killOne(plan, kills)
    kills += 1
    plan.onKill?.(kills)
    await inspect(false)
    // As if an hour had gone by, so that the budget lets a model be asked again.
    await withStore(plan, letTimePass)
  }
  ledger.isCalm = true
  await finishWork(plan)
  await inspect(true)
  const counts = await withStore(plan, countCycles)
  return {
    kills,
    ...counts,
    acknowledged: ledger.done.size,
    lost: [...lost],
    twice: [...twice],
    faults: [...faults],
  }
}

function prepareHome({ home, server }: KillPlan): void {
  const config = `
[embedding]
model = "none"
[sessions]
enabled = false
[models]
provider = "local"
local_url = "${server.url}/v1"
local_model = "gardener"
[ambient]
changes_per_cycle = 60
losses_per_cycle = 40
[api]
http = false
`
  writeFileSync(join(home, "config.toml"), config, { mode: 0o600 })
}

/** Fills the store: every text several times, as several programs would have written it. */
async function plant(plan: KillPlan): Promise<void> {
  const lines = Array.from({ length: groups * copies }, (_, index) => {
    return JSON.stringify({ content: `Planted fact: ${madeUpWords(index % groups)}` })
  })
  const file = join(plan.home, "planted.jsonl")
  writeFileSync(file, lines.join("\n"))
  const { code } = await run(plan, ["memory", "import", file, "--verbatim"])
  if (code !== 0) throw new Error("the planted memories could not be imported")
}

/** Words that nobody knows, others for each number: nothing can be said against what they say. */
function madeUpWords(number: number): string {
  const syllables = ["ba", "ke", "lo", "mi", "nu", "ra", "se", "to", "vi", "zu"]
  const word = (part: number) =>
    [...String((number + 1) * 7919 * (part + 3))].map((digit) => syllables[Number(digit)]).join("")
  return [1, 2, 3, 4].map(word).join(" ")
}

function environment({ home, url }: KillPlan) {
  return { ...process.env, HOME: home, REVERIE_HOME: home, REVERIE_DATABASE_URL: url }
}

function run(plan: KillPlan, args: string[]): Promise<{ code: number | null }> {
  const child = spawn(program, args, { env: environment(plan), stdio: "ignore" })
  return new Promise((resolve) => child.on("close", (code) => resolve({ code })))
}

async function startDaemon(plan: KillPlan): Promise<ChildProcess> {
  const child = spawn(program, ["start", "--foreground"], {
    env: environment(plan),
    stdio: ["ignore", "ignore", "pipe"],
  })
  let said = ""
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (text) => {
      said += text
      if (said.includes("Ctrl-C")) resolve()
    })
    child.on("close", () => reject(new Error(`the daemon did not start: ${said}`)))
  })
  return child
}

function clientFor({ home }: KillPlan) {
  const env = readEnvironment({ REVERIE_HOME: home })
  return createClient({ fetch: socketFetch(pathsFor(env).socket), random: systemRandom, actor: "bench" })
}

const longestMs = 500

/** Lets a daemon begin a cycle and kills it somewhere in it, or already while it begins. */
async function killOne(plan: KillPlan, kills: number): Promise<void> {
  const daemon = await startDaemon(plan)
  const client = clientFor(plan)
  const closed = new Promise((resolve) => daemon.on("close", resolve))
  await client.queueAdd({ context: `user item ${kills}` }).catch(() => undefined)
  await client.wake().catch(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, 250 + systemRandom.next() * longestMs))
  daemon.kill("SIGKILL")
  await closed
}

/** Wakes it until nothing is left to do. */
async function finishWork(plan: KillPlan): Promise<void> {
  const daemon = await startDaemon(plan)
  const client = clientFor(plan)
  const closed = new Promise((resolve) => daemon.on("close", resolve))
  try {
    for (let round = 0; round < 200; round += 1) {
      await client.wake()
      await new Promise((resolve) => setTimeout(resolve, 300))
      const { items } = await client.queue()
      const active = (await client.status()).memory.active
      if (items.length === 0 && active <= groups) break
      await withStore(plan, letTimePass)
    }
  } finally {
    daemon.kill("SIGTERM")
    await closed
  }
}

/** Does something with the store while the program has it open. */
export async function withStore<T>({ url }: { url: string }, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase({ url, file: "", clock: systemClock, random: systemRandom, log: silentLog })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

const hourMs = 3_600_000

/** As if an hour had gone by: the budget lets a model be asked again, and what was put off is due. */
export async function letTimePass(db: Database): Promise<void> {
  await db.write(async (transaction) => {
    await transaction.run(sql`update model_calls set at = at - ${hourMs}`)
    await transaction.run(sql`update queue_items set due_at = due_at - ${hourMs} where state = 'waiting'`)
  })
}

async function countCycles(db: Database): Promise<Pick<Killed, "cycles" | "interrupted">> {
  const rows = await db.read<{ status: string; cycles: number }>(
    sql`select status, count(*) as cycles from cycles group by status`,
  )
  const of = (status: string) => Number(rows.find((row) => row.status === status)?.cycles ?? 0)
  return { cycles: rows.reduce((sum, row) => sum + Number(row.cycles), 0), interrupted: of("interrupted") }
}
