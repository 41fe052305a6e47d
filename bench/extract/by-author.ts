import { silentLog } from "../../src/base/log.ts"
import type { Embedder } from "../../src/embedding/embedder.ts"
import { readUserTurns } from "../../src/memory/extract/read-user-turns.ts"
import { type Bench, type Figure, median } from "../shared/figures.ts"
import { figuresByTitle, type Labelled, type Read, sayWrong } from "./labelled.ts"

/** What is learned without a language model, at once by rules and pending by the trained model; and how long it takes. */
export async function byAuthorFigures(
  bench: Bench,
  embedder: Embedder,
  rows: readonly Labelled[],
): Promise<Figure[]> {
  const { judge, ...rules } = embedder
  const [on, off] = [await readAll(embedder, rows), await readAll(rules, rows)]
  sayWrong(bench, on)
  return [
    ...figuresByTitle(on),
    {
      id: "message.median",
      value: median(on.map(({ ms }) => ms)),
      unit: "ms",
      better: "lower",
      baseline: { name: "rules alone", value: median(off.map(({ ms }) => ms)) },
      rows: on.length,
    },
  ]
}

async function readAll(embedder: Embedder, rows: readonly Labelled[]): Promise<(Read & { ms: number })[]> {
  const read: (Read & { ms: number })[] = []
  for (const row of rows) {
    const began = performance.now()
    const turn = { role: "user" as const, text: row.text, position: 0, at: 0 }
    const heard = await readUserTurns({ embedder, log: silentLog }, [turn], 0)
    const told = [...heard.byRules, ...heard.sure]
    read.push({ ...row, told, supposed: heard.tentative, ms: performance.now() - began })
  }
  return read
}
