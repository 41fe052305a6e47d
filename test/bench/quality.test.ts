import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { compare, share } from "../../bench/quality/compare.ts"
import { loadLocomo } from "../../bench/quality/locomo.ts"
import { loadLongMemEval, poolOf } from "../../bench/quality/longmemeval.ts"
import { loadMemaware } from "../../bench/quality/memaware.ts"
import { areaUnderCurve, recallAt, rejectedAtKeeping, sessionsOf } from "../../bench/quality/metrics.ts"
import { scoreLocomoAbstention, scoreLongMemEvalAbstention } from "../../bench/quality/score-abstention.ts"
import { scorePrecision } from "../../bench/quality/score-precision.ts"
import {
  scoreLocomo,
  scoreLongMemEval,
  scoreMemaware,
  scorePooled,
} from "../../bench/quality/score-recall.ts"
import type { Answer, Item, System } from "../../bench/quality/system.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { madeUpData } from "./quality-data.ts"

const quiet = { say() {}, progress() {} }

/** A system that answers by a rule; it keeps what it was asked. */
function scripted(rule: (query: string, items: readonly Item[], gate: boolean) => Partial<Answer>) {
  const asked: { query: string; at: number | undefined; sessions: number }[] = []
  const system: System = {
    name: "scripted",
    async open(items) {
      return {
        async search(query, limit, { at, gate = false } = {}) {
          asked.push({ query, at, sessions: new Set(items.map((item) => item.sessionId)).size })
          const { hits = [], confidence = 0, abstained = false } = rule(query, items, gate)
          return { hits: hits.slice(0, limit), confidence, abstained }
        },
        async close() {},
      }
    },
  }
  return { system, asked }
}

const hit = (sourceId: string) => ({ sourceId, score: 1 })
const valuesOf = (scores: ReadonlyMap<string, { value: number }>) =>
  Object.fromEntries([...scores].map(([id, { value }]) => [id, value]))

describe("the data of the quality benchmarks", () => {
  it("takes LoCoMo's turns as chat lines, each conversation once, and only evidence that exists", () => {
    const [sailors, bakers, ...more] = loadLocomo(join(madeUpData(), "locomo"))
    expect(more).toEqual([])
    expect(bakers?.id).toBe("conv-2")
    expect(sailors?.items[1]).toEqual({
      sourceId: "D1:2",
      content: "Bo: Mine leaks. [image: a wet deck]",
      sessionId: "session_1",
      messageIndex: 1,
      createdAt: Date.UTC(2023, 4, 8, 0, 5),
    })
    expect(sailors?.endsAt).toBe(Date.UTC(2023, 4, 9, 13, 56))
    expect(sailors?.questions.map(({ category, evidence }) => [category, evidence])).toEqual([
      ["single-hop", ["D1:1"]],
      ["multi-hop", ["D1:2", "D2:1"]],
      ["open-domain", []],
      ["adversarial", ["D1:1"]],
    ])
  })

  it("takes LongMemEval's turns, packed or not, each session once", () => {
    const haystacks = loadLongMemEval(join(madeUpData(), "longmemeval")).toSorted(
      (a, b) => b.items.length - a.items.length,
    )
    expect(haystacks.map(({ items, unanswerable }) => [items.length, unanswerable])).toEqual([
      [4, false],
      [2, true],
    ])
    expect(haystacks[0]?.items[0]).toMatchObject({
      content: "user: Tell me about kites.",
      sessionId: "kites",
      messageIndex: 0,
    })
    expect(poolOf([...haystacks, ...haystacks])).toHaveLength(6)
  })

  it("takes MemAware's turns out of the archive, with the lines that belong to them", async () => {
    const { items, questions, endsAt } = await loadMemaware(join(madeUpData(), "memaware"))
    expect(items.map(({ sourceId, content }) => [sourceId, content])).toEqual([
      ["s_1#0", "user: I bought a tent."],
      ["s_1#1", "assistant: Good.\n\n1. Air it."],
      ["s_1#2", "user: I will."],
      ["s_2#0", "user: Nuts make me ill."],
      ["s_2#1", "assistant: Noted."],
    ])
    expect(endsAt).toBe(Date.UTC(2023, 3, 2))
    expect(questions.map((question) => question.tier)).toEqual(["easy", "hard"])
  })

  it("says in one sentence what is missing", () => {
    const folder = join(madeUpData(), "memaware")
    rmSync(join(folder, "sessions.tar.gz"))
    return expect(loadMemaware(folder)).rejects.toThrow(
      /^The data .* there is no \*\.tar\.gz in .*memaware\.$/,
    )
  })
})

describe("the measures of quality", () => {
  it("count what is among the first", () => {
    expect(recallAt(["a", "b", "c"], ["b", "c", "d", "e"], 2)).toBe(0.25)
    const sessionOf = new Map(Object.entries({ a1: "a", a2: "a", b1: "b" }))
    expect(sessionsOf(["a2", "b1", "a1"], sessionOf)).toEqual(["a", "b"])
  })

  it("compare two groups whatever the scale, ties counting half", () => {
    expect(areaUnderCurve([3, 4], [1, 2])).toBe(1)
    expect(areaUnderCurve([1, 2], [3, 4])).toBe(0)
    expect(areaUnderCurve([1, 1], [1])).toBe(0.5)
    expect(areaUnderCurve([5, 2], [1, 2, 3])).toBeCloseTo(4.5 / 6)
  })

  it("reject as much as keeping a share of the others allows", () => {
    const above = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    expect(rejectedAtKeeping(above, [0, 1.5, 2.5], 1)).toBeCloseTo(1 / 3)
    expect(rejectedAtKeeping(above, [0, 1.5, 2.5], 0.9)).toBeCloseTo(2 / 3)
    expect(rejectedAtKeeping(above, [0, 1.5, 2.5], 0.8)).toBe(1)
  })

  it("score LoCoMo by turns, with multi-hop and every category apart", async () => {
    const { system, asked } = scripted((query) => ({
      hits: query.includes("leak") ? [hit("D2:1"), hit("D1:1")] : [hit("D1:1")],
    }))
    const scores = valuesOf(await scoreLocomo(system, loadLocomo(join(madeUpData(), "locomo")), quiet))
    expect(scores).toEqual({
      "locomo.recall@5": 2.5 / 4,
      "locomo.recall@10": 2.5 / 4,
      "locomo.multi-hop.all@10": 0,
      "locomo.multi-hop.recall@10": 0.5,
      "locomo.temporal.recall@10": 0,
      "locomo.single-hop.recall@10": 1,
      "locomo.adversarial.recall@10": 1,
    })
    expect(asked[0]?.at).toBe(Date.UTC(2023, 4, 9, 13, 56))
  })

  it("score sessions by the first turn of each, in a haystack and in the pool of all", async () => {
    const data = madeUpData()
    const { system, asked } = scripted((_, items) => ({
      hits: items.filter((item) => item.sessionId !== "drums").map((item) => hit(item.sourceId)),
    }))
    const scores = {
      ...valuesOf(await scoreLongMemEval(system, loadLongMemEval(join(data, "longmemeval")), quiet)),
      ...valuesOf(await scorePooled(system, loadLongMemEval(join(data, "longmemeval")), quiet)),
      ...valuesOf(await scoreMemaware(system, await loadMemaware(join(data, "memaware")), quiet)),
    }
    expect(scores).toEqual({
      "longmemeval.any@5": 1,
      "longmemeval.all@5": 0,
      "longmemeval.pooled.any@5": 1,
      "longmemeval.pooled.all@5": 0,
      "memaware.easy.any@10": 1,
      "memaware.hard.any@10": 1,
    })
    expect(asked.slice(0, 2).map(({ sessions }) => sessions)).toEqual([2, 3])
  })

  it("count what a gated answer has of evidence, and silence as nothing returned", async () => {
    const { system } = scripted((query, _, gate) => ({
      hits: [hit("D1:1"), hit("D1:2")],
      abstained: gate && query.includes("oven"),
    }))
    const scores = valuesOf(await scorePrecision(system, loadLocomo(join(madeUpData(), "locomo")), quiet))
    // Petrel: 1 of 2 is right; the leak: 1 of 2, half of its evidence; the oven: silence.
    expect(scores["precision.locomo@5"]).toBe(0.5)
    expect(scores["returned.locomo@5"]).toBeCloseTo(4 / 3)
    expect(scores["gated-recall.locomo@10"]).toBeCloseTo(0.5)
    expect(scores["answered.locomo"]).toBeCloseTo(2 / 3)
  })

  it("ask every store the next conversation's questions, as they are and with its own people's names", async () => {
    const { system, asked } = scripted((query) => ({
      hits: [hit("D1:1")],
      confidence: /Petrel|boat|leak|oven/.test(query) ? 1 : 0,
    }))
    const scores = valuesOf(
      await scoreLocomoAbstention(system, loadLocomo(join(madeUpData(), "locomo")), quiet),
    )
    const queries = asked.map(({ query }) => query)
    expect(queries).toContain("How old is Dan's oven, Cleo?")
    expect(queries).toContain("How old is Bo's oven, Ann?")
    expect(queries).toContain("What is Cleo's boat called?")
    expect(scores["abstention.swapped.auc"]).toBe(0.5)
    expect(scores["abstention.swapped.kept"]).toBe(1)
    expect(scores["abstention.swapped.rejected"]).toBe(0)
  })

  it("set questions without an answer against those with one", async () => {
    const { system } = scripted((query) => ({
      hits: [hit("kites#0")],
      confidence: query.includes("harp") ? 0.2 : 0.9,
      abstained: query.includes("harp"),
    }))
    const scores = valuesOf(
      await scoreLongMemEvalAbstention(system, loadLongMemEval(join(madeUpData(), "longmemeval")), quiet),
    )
    expect(scores["abstention.longmemeval-abs.auc"]).toBe(1)
    expect(scores["abstention.longmemeval-abs.rejected"]).toBe(1)
    expect(scores["abstention.longmemeval-abs.reject@keep95"]).toBe(1)
  })
})

describe("a contest", () => {
  const named = (name: string): System => ({ ...scripted(() => ({})).system, name })

  it("sets ours beside the best peer, and our parts beside the whole", async () => {
    const values: Record<string, number> = { ours: 0.8, weak: 0.2, strong: 0.5, "ours without x": 0.7 }
    const said: string[] = []
    const figures = await compare(
      {
        ours: named("ours"),
        ablated: new Map([["x", named("ours without x")]]),
        peers: [named("weak"), named("broken"), named("strong")],
        prefix: "gte-small.",
        say: (text) => said.push(text),
      },
      async ({ name }) => {
        const value = values[name]
        if (value === undefined) throw new Error("it broke")
        return new Map([["a@1", share(value)]])
      },
    )
    const common = { unit: "share", better: "higher" }
    expect(figures).toEqual([
      { id: "gte-small.a@1", value: 0.8, ...common, baseline: { name: "strong", value: 0.5 } },
      { id: "gte-small.peer.weak.a@1", value: 0.2, ...common },
      { id: "gte-small.peer.strong.a@1", value: 0.5, ...common },
      {
        id: "gte-small.without.x.a@1",
        value: 0.7,
        ...common,
        baseline: { name: "reverie, whole", value: 0.8 },
      },
    ])
    expect(said).toContain("left out: broken, which failed (it broke)")
    expect(said).toContain("strong: a@1 0.500")
  })
})

describe("the recall benchmark", { timeout: 120_000 }, () => {
  const bench = (args: string[], data = madeUpData()) => {
    const run = fileURLToPath(new URL("../../bench/run.ts", import.meta.url))
    const env = { ...process.env, REVERIE_BENCH_DATA: data, XDG_CACHE_HOME: throwawayFolder() }
    return execFileSync(process.execPath, [run, ...args], { env, encoding: "utf8", stdio: "pipe" })
  }

  it("measures Reverie itself on data of the same form, wherever it is", () => {
    const { name, figures } = JSON.parse(bench(["recall", "--json", "--peers", "none"]))
    expect(name).toBe("recall")
    const found = new Map(figures.map((figure: { id: string; value: number }) => [figure.id, figure.value]))
    expect(found.get("locomo.single-hop.recall@10")).toBe(1)
    expect(found.get("longmemeval.any@5")).toBe(1)
    expect(found.get("longmemeval.pooled.any@5")).toBe(1)
    expect(found.get("memaware.easy.any@10")).toBe(1)
  })

  it("refuses a data set or a peer that does not exist", () => {
    expect(() => bench(["recall", "--only", "locomo,nothing"])).toThrow(/--only takes .* not nothing/)
    expect(() => bench(["recall", "--only", "locomo", "--peers", "nobody"])).toThrow(/no peer named nobody/)
  })
})
