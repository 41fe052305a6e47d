import { expect, it } from "vitest"
import { silentLog } from "../../src/base/log.ts"
import { judgementOf } from "../../src/judgement/judgement.ts"
import type { Calibration } from "../../src/memory/find/rank/calibration.ts"
import type { Ranked } from "../../src/memory/find/rank/rank.ts"
import {
  addJudgements,
  maxJudged,
  reorderJudged,
  rerankWithModel,
} from "../../src/memory/find/rank/rerank.ts"
import type { Reader } from "../../src/storage/transaction.ts"
import { withScriptedJudge } from "../../testkit/scripted-judge.ts"
import { createToyEmbedder } from "../../testkit/toy-embedder.ts"

const texts = [
  "rooms are cleaned at nine",
  "the key is under the mat",
  "guests pay at the desk",
  "no dogs",
  "tea at four",
  "lights out at ten",
]
const hits = texts.map((_, seq) => ({
  candidate: { seq, id: `m_${seq}` },
  score: 1 - seq / 10,
  setBack: 0,
  features: { metAround: 0, covered: 0, metMost: 0, rawWords: 0 },
})) as Ranked[]
const textOf = ({ candidate }: Ranked) => texts[candidate.seq] ?? ""
const answers = { "under the mat > where is the key": 0.95 }
const calibration = {
  hit: { constant: 0 },
  answer: { constant: 0 },
  judged: { hit: { constant: 0, answers: 1 }, answer: { constant: 0 }, abstainBelow: 0.3, unaskedBelow: 0.5 },
} as unknown as Calibration
const db = { read: async () => texts.map((content, seq) => ({ seq, content })) } as unknown as Reader

const embedder = (script: Parameters<typeof withScriptedJudge>[1]) =>
  withScriptedJudge(createToyEmbedder(), script)

it("puts the note first that answers, and leaves the scores and the others where they are", async () => {
  const log = silentLog
  const ranked = await rerankWithModel(
    { db, log, embedder: embedder({ answers }) },
    "where is the key",
    hits,
    calibration,
  )
  expect(ranked.map(textOf)).toEqual([texts[1], texts[0], ...texts.slice(2)])
  expect(ranked.map(({ score }) => score)).toEqual(hits.map(({ score }) => score))
})

it("asks about the first few only", async () => {
  const asked = embedder({ answers })
  const ranked = await addJudgements(judgementOf(asked), "where is the key", hits, textOf)
  expect(asked.judgeAsked).toEqual(
    texts.slice(0, maxJudged).map((first) => ({ first, second: "where is the key" })),
  )
  expect(ranked.map((one) => one.answers !== undefined)).toEqual([true, true, true, true, true, false])
})

it("changes nothing where the model was not trained for it, or fails", async () => {
  const warned: unknown[] = []
  const log = { ...silentLog, warn: (_: string, told?: object) => void warned.push(told) }
  expect(await addJudgements(judgementOf(embedder({})), "where is the key", hits, textOf)).toEqual(hits)
  const failing = embedder({
    answers,
    before() {
      throw new Error("out of memory")
    },
  })
  expect(
    await rerankWithModel({ db, log, embedder: failing }, "where is the key", hits, calibration),
  ).toEqual(hits)
  expect(warned).toEqual([{ reason: "out of memory" }])
})

it("orders nothing that nobody judged", () => {
  expect(reorderJudged(hits, calibration)).toEqual(hits)
})
