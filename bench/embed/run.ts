import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { openSession, type Session } from "../../src/embedding/runtime/runtime.ts"
import { openWordPieces } from "../../src/embedding/runtime/word-pieces.ts"
import { type Bench, type Benchmark, type Figure, median, percentile, timed } from "../shared/figures.ts"
import { type Candidate, filesOf, isAvailable, nameOf, openCandidate } from "./candidates.ts"
import { paragraph, sentence, variety } from "./sentences.ts"

const minilm = { model: "all-MiniLM-L6-v2", precision: "int8", runtime: "native" } as const
const exact = { ...minilm, precision: "fp32" } as const
const candidates: readonly Candidate[] = [
  minilm,
  { ...minilm, runtime: "wasm" },
  exact,
  { ...exact, model: "gte-small" },
]

/** The first numbers that sentence-transformers publishes for all-MiniLM-L6-v2 and "Hello world". */
const published = [-0.03447725, 0.03102325, 0.00673496, 0.02610892, -0.03936201]

/** How long embedding takes and what it costs, in every runtime and precision, and how right it is. */
export const embed: Benchmark = {
  about: "how long embedding takes, what memory it needs and how right it is, beside the bare runtime",
  options: {
    quick: { type: "boolean", help: "int8 only, which needs no large download, and fewer rounds" },
  },
  async run(bench) {
    const isQuick = bench.options.quick === true
    const rounds = isQuick ? 20 : 60
    const figures: Figure[] = []
    for (const candidate of candidates) {
      if (isQuick && candidate.precision === "fp32") continue
      if (!(await isAvailable(bench, candidate))) continue
      bench.say(nameOf(candidate))
      figures.push(...(await measureSpeed(candidate, rounds)), ...(await measureStart(bench, candidate)))
    }
    return [...figures, ...(await measureRightness(isQuick ? undefined : exact))]
  },
}

async function measureSpeed(candidate: Candidate, rounds: number): Promise<Figure[]> {
  const embedder = openCandidate(candidate)
  const bare = await openBare(candidate)
  try {
    const figures: Figure[] = []
    for (const [name, given] of [
      ["sentence", sentence],
      ["paragraph", bare.cut(paragraph, 128)],
    ] as const) {
      const ours: number[] = []
      const tokens: number[] = []
      const alone: number[] = []
      await embedder.embed([given])
      for (let round = 0; round < rounds; round += 1) {
        ours.push(await timed(() => embedder.embed([given], { urgent: true })))
        tokens.push(await timed(() => embedder.embed([given], { urgent: true, tokens: true })))
        alone.push(await timed(() => bare.run(given)))
      }
      const baseline = { name: "the bare runtime, ids ready", value: median(alone) }
      const figure = (id: string, value: number): Figure => {
        return { id: `${nameOf(candidate)}.${name}${id}`, value, unit: "ms", better: "lower", baseline }
      }
      figures.push(figure(".p50", median(ours)), figure(".p95", percentile(ours, 0.95)))
      figures.push(figure(".tokens.p50", median(tokens)))
    }
    return [...figures, await measureThroughput(candidate, embedder.embed, bare, rounds)]
  } finally {
    await embedder.close()
    await bare.close()
  }
}

async function measureThroughput(
  candidate: Candidate,
  embedAll: (texts: string[]) => Promise<unknown>,
  bare: Bare,
  rounds: number,
): Promise<Figure> {
  const texts = Array.from({ length: rounds }, (_, index) => variety[index % variety.length] ?? "")
  const ours = await timed(() => embedAll(texts))
  const alone = await timed(async () => {
    for (const given of texts) await bare.run(given)
  })
  const perSecond = (ms: number) => (texts.length / ms) * 1000
  return {
    id: `${nameOf(candidate)}.throughput`,
    value: perSecond(ours),
    unit: "texts/s",
    better: "higher",
    baseline: { name: "the bare runtime, ids ready", value: perSecond(alone) },
  }
}

interface Bare {
  /** Runs the model on a text whose ids were made before. */
  run(text: string): Promise<unknown>
  /** The beginning of a text that has that many word pieces with the marks around them. */
  cut(text: string, pieces: number): string
  close: Session["close"]
}

/** The runtime alone, in this thread: no thread to talk to, no words to cut, nothing to pool. */
async function openBare(candidate: Candidate): Promise<Bare> {
  const { modelFile, tokenizerFile } = filesOf(candidate)
  const words = openWordPieces(readFileSync(tokenizerFile, "utf8"))
  const choice = { runtime: candidate.runtime, provider: "cpu", threads: 1 }
  // The native library would report to its maker otherwise.
  process.env.ORT_DISABLE_TELEMETRY = "1"
  const session = await openSession(() => {}, choice, modelFile)
  const ready = new Map<string, number[]>()
  const idsOf = (given: string) => {
    const known = ready.get(given) ?? [words.begin, ...words.tokenize(given).ids, words.end]
    ready.set(given, known)
    return known
  }
  return {
    run: (given) => session.run(idsOf(given)),
    cut(given, pieces) {
      const { ends } = words.tokenize(given)
      const cut = given.slice(0, ends[pieces - 3])
      if (idsOf(cut).length !== pieces) throw new Error(`the text does not have ${pieces} word pieces`)
      return cut
    },
    close: session.close,
  }
}

interface Start {
  ms: number
  coldBytes: number
  warmBytes: number
}

const coldStart = fileURLToPath(new URL("./cold-start.ts", import.meta.url))

/** From the start of a process to its first vector, and what memory the process has then and after some work. */
async function measureStart(bench: Bench, candidate: Candidate): Promise<Figure[]> {
  const starts: Start[] = []
  for (let number = 0; number < (bench.options.quick === true ? 1 : 3); number += 1) {
    const child = spawn(process.execPath, [coldStart, JSON.stringify(candidate)], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    bench.atEnd(() => void child.kill("SIGKILL"))
    const said = await text(child.stdout)
    if (said === "") throw new Error("the fresh process that should embed failed")
    starts.push(JSON.parse(said))
  }
  const middle = (of: (start: Start) => number) => median(starts.map(of))
  const figure = (id: string, value: number, unit: string): Figure => {
    return { id: `${nameOf(candidate)}.${id}`, value, unit, better: "lower" }
  }
  return [
    figure(
      "cold-start",
      middle(({ ms }) => ms),
      "ms",
    ),
    figure(
      "memory.first",
      middle(({ coldBytes }) => coldBytes / 1e6),
      "MB",
    ),
    figure(
      "memory.after",
      middle(({ warmBytes }) => warmBytes / 1e6),
      "MB",
    ),
  ]
}

/** How near the vectors are to those that are published, and int8 to full precision. */
async function measureRightness(full: Candidate | undefined): Promise<Figure[]> {
  const int8 = await vectorsOf(minilm)
  const wasm = await vectorsOf({ ...minilm, runtime: "wasm" })
  const figures = cosineFigures("int8-native-to-wasm", int8, wasm)
  if (full === undefined) return figures
  const fp32 = await vectorsOf(full)
  const [hello = new Float32Array()] = fp32
  const errors = published.map((value, index) => Math.abs(value - (hello[index] ?? 0)))
  figures.push(
    { id: "fp32-to-published.largest-error", value: Math.max(...errors), unit: "", better: "lower" },
    ...cosineFigures("int8-to-fp32", int8, fp32),
  )
  return figures
}

async function vectorsOf(candidate: Candidate): Promise<Float32Array[]> {
  const embedder = openCandidate(candidate)
  try {
    return (await embedder.embed(["Hello world", ...variety])).map(({ vector }) => vector)
  } finally {
    await embedder.close()
  }
}

function cosineFigures(id: string, ours: Float32Array[], theirs: Float32Array[]): Figure[] {
  const cosines = ours.map((vector, index) =>
    vector.reduce((sum, value, place) => sum + value * (theirs[index]?.[place] ?? 0), 0),
  )
  const figure = (name: string, value: number): Figure => {
    return { id: `${id}.cosine.${name}`, value, unit: "", better: "higher" }
  }
  const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length
  return [figure("mean", mean), figure("least", Math.min(...cosines))]
}
