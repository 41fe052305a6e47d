// Fits the projection that shortens word pieces' vectors, once for each model, and says how faithful it is:
//   node scripts/fit-projection.ts MODEL WEIGHTS-FOLDER TEXTS.jsonl.gz
// The texts are turns of LongMemEval's development part (MIT). Nothing of them is kept but the directions in which
// word pieces differ. Half of the turns are fitted on; the other half is what faithfulness is measured with.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { localModel } from "../src/embedding/models.ts"
import { openProjection, type StoredProjection } from "../src/embedding/runtime/projection.ts"
import { openSession } from "../src/embedding/runtime/runtime.ts"
import { normalize } from "../src/embedding/runtime/vectors.ts"
import { openWordPieces } from "../src/embedding/runtime/word-pieces.ts"

interface Question {
  haystack_sessions: { role: string; content: string }[][]
}

const turnsWanted = 6000
const longestTurn = 128

const [modelName = "", folder = "", textsFile = ""] = process.argv.slice(2)
const model = localModel(modelName, "auto")
const width = model.dimensions
const words = openWordPieces(readFileSync(join(folder, model.tokenizer.name), "utf8"))
const choice = { runtime: "native", provider: "cpu", threads: 1 } as const
process.env.ORT_DISABLE_TELEMETRY = "1"
const session = await openSession(console.warn, choice, join(folder, model.weights.name))

/** Different turns from all over the file, both of the user and of the assistant. */
function readTurns(): string[] {
  const lines = gunzipSync(readFileSync(textsFile)).toString("utf8").trim().split("\n")
  const questions = lines.map((line): Question => JSON.parse(line))
  const turns = new Set<string>()
  for (const { haystack_sessions } of questions) {
    for (const session of haystack_sessions) for (const { content } of session) turns.add(content)
  }
  const all = [...turns].filter((text) => text.trim() !== "")
  const step = Math.max(1, Math.floor(all.length / turnsWanted))
  return all.filter((_, index) => index % step === 0).slice(0, turnsWanted)
}

/** The word pieces of a text, each of unit length, one after the other. */
async function piecesOf(text: string): Promise<Float32Array[]> {
  const ids = words.tokenize(text).ids.slice(0, longestTurn - 2)
  const hidden = await session.run([words.begin, ...ids, words.end])
  return ids.map((_, index) => normalize(hidden.slice((index + 1) * width, (index + 2) * width)))
}

/** Adds each piece's products to the matrix of second moments. No mean is taken off: cosines must stay what they are. */
function addMoments(moments: Float64Array, piece: Float32Array): void {
  for (let row = 0; row < width; row += 1) {
    const value = piece[row] ?? 0
    for (let column = 0; column < width; column += 1) {
      moments[row * width + column] = (moments[row * width + column] ?? 0) + value * (piece[column] ?? 0)
    }
  }
}

/** The strongest directions of a symmetric matrix, by orthogonal iteration; each is one row of the result. */
function strongest(matrix: Float64Array, count: number): Float64Array[] {
  let state = 7
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  let rows: Float64Array[] = Array.from({ length: count }, () => Float64Array.from({ length: width }, random))
  for (let round = 0; round < 300; round += 1) rows = orthonormal(rows.map((row) => times(matrix, row)))
  return rows
}

function times(matrix: Float64Array, vector: Float64Array): Float64Array {
  const result = new Float64Array(width)
  for (let row = 0; row < width; row += 1) {
    let sum = 0
    for (let column = 0; column < width; column += 1) {
      sum += (matrix[row * width + column] ?? 0) * (vector[column] ?? 0)
    }
    result[row] = sum
  }
  return result
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0)
  return sum
}

function orthonormal(rows: Float64Array[]): Float64Array[] {
  for (const [index, row] of rows.entries()) {
    for (const earlier of rows.slice(0, index)) {
      const share = dot(row, earlier)
      for (let column = 0; column < width; column += 1)
        row[column] = (row[column] ?? 0) - share * (earlier[column] ?? 0)
    }
    const length = Math.sqrt(dot(row, row))
    for (let column = 0; column < width; column += 1) row[column] = (row[column] ?? 0) / length
  }
  return rows
}

function store(directions: Float64Array[]): StoredProjection {
  const to = directions.length
  const bytes = Buffer.alloc(width * to * 2)
  for (let row = 0; row < width; row += 1) {
    for (let column = 0; column < to; column += 1) {
      bytes.writeInt16LE(Math.round((directions[column]?.[row] ?? 0) * 32_767), (row * to + column) * 2)
    }
  }
  return { from: width, to, codes: bytes.toString("base64") }
}

/** The mean over one text's pieces of the best cosine with any piece of the other. */
function maxSim(query: ArrayLike<number>[], text: ArrayLike<number>[], scale: number): number {
  const best = query.map((piece) => Math.max(...text.map((other) => dot(piece, other) / scale)))
  return best.reduce((sum, value) => sum + value, 0) / best.length
}

function correlation(xs: number[], ys: number[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [mx, my] = [mean(xs), mean(ys)]
  const centred = (values: number[], by: number) => values.map((value) => value - by)
  const [cx, cy] = [centred(xs, mx), centred(ys, my)]
  return dot(cx, cy) / Math.sqrt(dot(cx, cx) * dot(cy, cy))
}

function shortened(stored: StoredProjection): (pieces: Float32Array[]) => Int8Array[] {
  const projection = openProjection(stored)
  return (pieces) =>
    pieces.map((piece) => {
      const codes = new Int8Array(projection.dimensions)
      projection.project(piece, codes, 0)
      return codes
    })
}

/** How well short vectors keep the order of texts: correlation, and how often the best of 50 stays the best. */
function faithfulness(stored: StoredProjection, texts: Float32Array[][]): { r: number; sameBest: number } {
  const shorten = shortened(stored)
  const usable = texts.filter((pieces) => pieces.length >= 4)
  const queries = usable.slice(0, 60).map((pieces) => pieces.slice(0, 16))
  const others = usable.slice(60, 110).map((pieces) => pieces.slice(0, 64))
  const shortQueries = queries.map(shorten)
  const shortOthers = others.map(shorten)
  const exact: number[] = []
  const kept: number[] = []
  let same = 0
  for (const [index, query] of queries.entries()) {
    const long = others.map((other) => maxSim(query, other, 1))
    const short = shortOthers.map((other) => maxSim(shortQueries[index] ?? [], other, 127 * 127))
    exact.push(...long)
    kept.push(...short)
    if (long.indexOf(Math.max(...long)) === short.indexOf(Math.max(...short))) same += 1
  }
  return { r: correlation(exact, kept), sameBest: same / queries.length }
}

const turns = readTurns()
const moments = new Float64Array(width * width)
let count = 0
for (const text of turns.filter((_, index) => index % 2 === 0)) {
  for (const piece of await piecesOf(text)) {
    addMoments(moments, piece)
    count += 1
  }
}
console.log(`${model.name}: ${turns.length / 2} turns, ${count} word pieces`)
const unseen: Float32Array[][] = []
for (const text of turns.filter((_, index) => index % 2 === 1).slice(0, 400))
  unseen.push(await piecesOf(text))

const directions = strongest(moments, 128)
for (const dimensions of [32, 48, 64, 96, 128]) {
  const { r, sameBest } = faithfulness(store(directions.slice(0, dimensions)), unseen)
  console.log(
    `${dimensions} dimensions: r = ${r.toFixed(4)}, same best of 50 in ${(sameBest * 100).toFixed(0)} %`,
  )
}

const file = `src/embedding/runtime/projections/${model.name.toLowerCase()}.ts`
const stored = store(directions.slice(0, model.tokenDimensions))
writeFileSync(
  file,
  `// Made by scripts/fit-projection.ts. Do not edit.
import type { StoredProjection } from "../projection.ts"

/** The directions in which word pieces of ${model.name} differ most. */
export const projection: StoredProjection = { from: ${stored.from}, to: ${stored.to}, codes: "${stored.codes}" }
`,
)
await session.close()
