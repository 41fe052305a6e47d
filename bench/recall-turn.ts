import { setTimeout as sleep } from "node:timers/promises"
import { importText } from "../src/memory/import.ts"
import { openRecall } from "../src/memory/recall/open-recall.ts"
import type { Recall, RecallSession } from "../src/memory/recall/recall.ts"
import { retrieve } from "../src/memory/retrieve.ts"
import type { Database } from "../src/storage/database.ts"
import { type Bench, type Benchmark, type Figure, percentile, timed } from "./figures.ts"
import { type Embedders, openEmbedders } from "./latency/embedders.ts"
import { by, needsOf } from "./latency/needs.ts"
import { openStore } from "./latency/open-store.ts"
import { createTalk, type Talk } from "./made-up-talk.ts"
import { searchedProject } from "./made-up-texts.ts"
import { sqliteStores } from "./stores.ts"

const pieceRows = 1000
const sessionCount = 10
const turnsInSession = 12
/** Sessions that work at the same time while one is measured. */
const others = 3

/** How long a turn waits for recall, and how soon the next turn's memories are there, in small and large stores. */
export const recallTurn: Benchmark = {
  about:
    "how long a turn waits for recall, beside a search in the foreground, and when the next turn's memories are ready",
  options: {
    quick: { type: "boolean", help: "1,000 and 5,000 memories only, to see that it works" },
  },
  async run(bench) {
    const embedders = await openEmbedders(bench)
    const sizes = bench.options.quick === true ? [1000, 5000] : [1000, 10_000, 100_000]
    const figures: Figure[] = []
    for (const rows of sizes) figures.push(...(await measureStore(bench, embedders, rows)))
    return [...growth(figures, sizes), ...figures]
  },
}

async function measureStore(bench: Bench, embedders: Embedders, rows: number): Promise<Figure[]> {
  const say = (text: string) => bench.say(`${rows.toLocaleString("en-US")} memories: ${text}`)
  const db = await openStore(await sqliteStores(bench).create())
  const talk = createTalk(rows)
  say("importing")
  await fill(db, embedders, talk, rows)
  const needs = needsOf(db, embedders.real)
  const recall = openRecall({ ...needs, install: "install_bench" })
  try {
    // The first search of a process reads what later ones find in memory.
    for (let warm = 0; warm < 5; warm += 1)
      await retrieve(needs, { query: talk.question().text, limit: 10, project: searchedProject })
    say("taking turns")
    const alone = await takeTurns(recall, talk)
    say("searching in the foreground")
    const search = await searches(needs, talk)
    say("taking turns beside others")
    const beside = await takeTurnsBeside(recall, talk)
    return [
      ...spread(`turn`, rows, alone.turns, { name: "search in the foreground", times: search }),
      ...spread(`turn-beside-${others}-others`, rows, beside),
      ...spread(`first-turn`, rows, alone.firsts),
      ...spread(`start`, rows, alone.starts),
      ...spread(`next-ready`, rows, alone.ready),
    ]
  } finally {
    await recall.close()
    await db.close()
  }
}

async function fill(db: Database, { madeUp }: Embedders, talk: Talk, rows: number): Promise<void> {
  for (let filled = 0; filled < rows; filled += pieceRows) {
    const lines = Array.from({ length: pieceRows }, () => JSON.stringify(talk.memory()))
    await importText(needsOf(db, madeUp), linesOf(lines), by(), { verbatim: true })
  }
}

async function* linesOf(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

function sessionNamed(name: string): RecallSession {
  return { id: `bench:${name}`, tool: "bench", project: searchedProject }
}

/** Sessions one after the other; each turn comes when the one before is done with. */
async function takeTurns(recall: Recall, talk: Talk) {
  const starts: number[] = []
  const firsts: number[] = []
  const turns: number[] = []
  const ready: number[] = []
  for (let number = 0; number < sessionCount; number += 1) {
    const session = sessionNamed(`alone-${number}`)
    starts.push(await timed(() => recall.start(session)))
    await recall.settled()
    for (let turn = 0; turn < turnsInSession; turn += 1) {
      const text = talk.question().text
      const began = performance.now()
      await recall.turn(session, { kind: "prompt", text })
      ;(turn === 0 ? firsts : turns).push(performance.now() - began)
      await recall.settled()
      ready.push(performance.now() - began)
    }
  }
  return { starts, firsts, turns, ready }
}

/** The same while other sessions have their memories looked for, counted from when the turn should have begun. */
async function takeTurnsBeside(recall: Recall, talk: Talk): Promise<number[]> {
  const times: number[] = []
  const session = sessionNamed("beside")
  await recall.turn(session, { kind: "prompt", text: talk.question().text })
  await recall.settled()
  for (let turn = 0; turn < 5 * turnsInSession; turn += 1) {
    for (let other = 0; other < others; other += 1) {
      const text = talk.question().text
      void recall.turn(sessionNamed(`other-${other}-${turn}`), { kind: "prompt", text })
    }
    const due = performance.now() + (turn % 20) * 3
    await sleep((turn % 20) * 3)
    await recall.turn(session, { kind: "prompt", text: talk.question().text })
    times.push(performance.now() - due)
    await recall.settled()
  }
  return times
}

async function searches(needs: ReturnType<typeof needsOf>, talk: Talk): Promise<number[]> {
  const times: number[] = []
  for (let count = 0; count < sessionCount * turnsInSession; count += 1) {
    const query = talk.question().text
    times.push(await timed(() => retrieve(needs, { query, limit: 5, project: searchedProject })))
  }
  return times
}

function spread(
  name: string,
  rows: number,
  times: readonly number[],
  beside?: { name: string; times: readonly number[] },
): Figure[] {
  return [0.5, 0.95].map((share): Figure => {
    const id = `${name}.p${share * 100}.${rows}`
    const figure = { id, value: percentile(times, share), unit: "ms", better: "lower" as const }
    if (beside === undefined) return figure
    return { ...figure, baseline: { name: beside.name, value: percentile(beside.times, share) } }
  })
}

/** How much longer things take in the largest store than in the smallest. */
function growth(figures: readonly Figure[], sizes: readonly number[]): Figure[] {
  const figureOf = (id: string) => figures.find((figure) => figure.id === id)?.value ?? Number.NaN
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)]
  return ["turn.p50", "turn.p95", "next-ready.p50"].map((name) => ({
    id: `${name}.growth`,
    value: figureOf(`${name}.${most}`) / figureOf(`${name}.${least}`),
    unit: "times",
    better: "lower",
  }))
}
