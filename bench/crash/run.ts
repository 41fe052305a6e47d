import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { sql } from "../../src/storage/sql.ts"
import { killTending } from "../../testkit/crash/kill-tending.ts"
import { killWork } from "../../testkit/crash/kill-work.ts"
import { startModelServer } from "../../testkit/model-server/model-server.ts"
import { runAdders } from "../../testkit/program/adders.ts"
import { createFailingProject } from "../../testkit/work/failing-project.ts"
import type { Bench, Benchmark, Figure } from "../shared/figures.ts"
import { postgresStores, type StoreMaker, sqliteStores, temporaryFolder } from "../shared/stores.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))
const processes = 4

/** Several processes add at once while they, and then the daemon they go through, are killed at random. */
export const crash: Benchmark = {
  about: "kills writers and the daemon at random moments; counts what was lost or done twice",
  options: {
    adds: { type: "string", help: "adds of each of the four processes (1000)" },
    kills: { type: "string", help: "kills of each process, and of the daemon at most (10)" },
    cycles: { type: "string", help: "kills of the daemon while it tends (500)" },
    only: { type: "string", help: "writers, daemon, tending or work" },
    changes: { type: "string", help: "kills of the daemon while it fixes, asks and pushes (50)" },
  },
  async run(bench) {
    const makers = [sqliteStores(bench), await postgresStores(bench)].filter((maker) => maker !== undefined)
    const losses: Loss[] = []
    const isWanted = (part: string) => (bench.options.only ?? part) === part
    for (const maker of makers) {
      if (isWanted("writers")) losses.push(await killWriters(bench, maker))
      if (isWanted("daemon")) losses.push(await killDaemon(bench, maker))
    }
    if (isWanted("tending")) losses.push(await killGardener(bench, sqliteStores(bench)))
    if (isWanted("work")) losses.push(await killWorker(bench))
    return figuresOf(losses)
  },
}

/** What came of one run. */
interface Loss {
  id: string
  kills: number
  lost: number
  twice: number
  damaged: number
}

async function killWriters(bench: Bench, maker: StoreMaker): Promise<Loss> {
  bench.say(`${maker.kind}: killing writers`)
  const { url } = await maker.create()
  const home = temporaryFolder(bench)
  const { acknowledged, kills } = await runAdders({ ...common(bench), home, databaseUrl: url })
  return compare(`${maker.kind}.writers`, url, acknowledged, kills)
}

/** The daemon dies at random moments of its cycles. */
async function killGardener(bench: Bench, maker: StoreMaker): Promise<Loss> {
  const { url } = await maker.create()
  const server = await startModelServer()
  bench.atEnd(() => server.close())
  const wanted = Number(bench.options.cycles ?? 500)
  const onKill = (kills: number) => bench.progress(`${maker.kind}: killing while tending`, kills, wanted)
  const home = temporaryFolder(bench)
  const killed = await killTending({ home, url, server, kills: wanted, onKill })
  const { kills, cycles, interrupted, acknowledged, lost, twice, faults } = killed
  for (const problem of [...lost, ...twice, ...faults]) bench.say(problem)
  bench.say(`${cycles} cycles, ${interrupted} of them interrupted; ${acknowledged} things acknowledged`)
  return {
    id: `${maker.kind}.tending`,
    kills,
    lost: lost.length,
    twice: twice.length,
    damaged: faults.length,
  }
}

/** The daemon dies while it fixes a test, asks for permission, and pushes what is approved. */
async function killWorker(bench: Bench): Promise<Loss> {
  const server = await startModelServer()
  bench.atEnd(() => server.close())
  const wanted = Number(bench.options.changes ?? 50)
  const onKill = (kills: number) => bench.progress("killing while working", kills, wanted)
  const project = createFailingProject(temporaryFolder(bench))
  const killed = await killWork({ home: temporaryFolder(bench), project, server, kills: wanted, onKill })
  const { kills, decisions, decisionsLost, pushed, pushedWrongly, notPushed, left } = killed
  for (const problem of [...decisionsLost, ...pushedWrongly, ...notPushed, ...left]) bench.say(problem)
  bench.say(`${decisions} decisions acknowledged, ${pushed} changes pushed`)
  const lost = decisionsLost.length + notPushed.length
  return { id: "sqlite.work", kills, lost, twice: pushedWrongly.length, damaged: left.length }
}

/** The writers go through a daemon that is killed again and again, and replaced. */
async function killDaemon(bench: Bench, maker: StoreMaker): Promise<Loss> {
  bench.say(`${maker.kind}: killing the daemon`)
  const { url } = await maker.create()
  const home = temporaryFolder(bench)
  const settings = common(bench)
  const victim = await startVictim(home, url, settings.killsEach)
  bench.atEnd(victim.end)
  const onAcknowledged = victim.mayDie
  const { acknowledged } = await runAdders({
    ...settings,
    killsEach: 0,
    home,
    databaseUrl: url,
    onAcknowledged,
  })
  victim.end()
  return compare(`${maker.kind}.daemon`, url, acknowledged, victim.kills())
}

/** A daemon that dies some adds after it became ready, and comes back, until it has died often enough. */
async function startVictim(home: string, url: string, wanted: number) {
  let daemon: ChildProcess | undefined = await startDaemon(home, url)
  let addsLeft = 30
  let kills = 0
  const mayDie = () => {
    if (daemon === undefined || kills >= wanted) return
    addsLeft -= 1
    if (addsLeft > 0 || !daemon.kill("SIGKILL")) return
    kills += 1
    daemon = undefined
    void startDaemon(home, url).then((next) => {
      daemon = next
      addsLeft = 1 + Math.floor(systemRandom.next() * 60)
    })
  }
  return { mayDie, kills: () => kills, end: () => void daemon?.kill("SIGKILL") }
}

function common(bench: Bench) {
  const addsEach = Number(bench.options.adds ?? 1000)
  const killsEach = Number(bench.options.kills ?? 10)
  return { processes, addsEach, killsEach, random: () => systemRandom.next() }
}

/** Starts a daemon and waits until it says that it is ready; one that cannot start ends by itself. */
function startDaemon(home: string, url: string): Promise<ChildProcess> {
  const env = { ...process.env, REVERIE_HOME: home, REVERIE_DATABASE_URL: url }
  const child = spawn(program, ["start", "--foreground"], { env, stdio: ["ignore", "ignore", "pipe"] })
  return new Promise((resolve) => {
    child.stderr.on("data", (text) => String(text).includes("Ctrl-C") && resolve(child))
    child.on("close", () => resolve(child))
  })
}

async function compare(id: string, url: string, acknowledged: string[], kills: number): Promise<Loss> {
  const db = await openDatabase({ url, file: "", clock: systemClock, random: systemRandom, log: silentLog })
  const rows = await db.read<{ content: string }>(sql`select content from memories`)
  const strong = await db.read(sql`select id from memories where strength > 1`)
  const stored = new Set(rows.map((row) => row.content))
  const lost = acknowledged.filter((text) => !stored.has(text)).length
  const damaged = (await db.check()).length
  await db.close()
  return { id, kills, lost, twice: rows.length - stored.size + strong.length, damaged }
}

function figuresOf(losses: Loss[]): Figure[] {
  const sum = (pick: (loss: Loss) => number) => losses.reduce((total, loss) => total + pick(loss), 0)
  const figure = (id: string, value: number, better: Figure["better"]): Figure => ({
    id,
    value,
    unit: "",
    better,
  })
  return [
    figure(
      "kills",
      sum((loss) => loss.kills),
      "higher",
    ),
    figure(
      "acknowledged-lost",
      sum((loss) => loss.lost),
      "lower",
    ),
    figure(
      "applied-twice",
      sum((loss) => loss.twice),
      "lower",
    ),
    ...losses.flatMap((loss) => [
      figure(`${loss.id}.kills`, loss.kills, "higher"),
      figure(`${loss.id}.acknowledged-lost`, loss.lost, "lower"),
      figure(`${loss.id}.applied-twice`, loss.twice, "lower"),
      figure(`${loss.id}.damage-found`, loss.damaged, "lower"),
    ]),
  ]
}
