import type { Random } from "../../src/base/random.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"
import { type LabelledPair, loadPairs } from "../contradiction/labelled-pairs.ts"
import { naturalSentences } from "./sentences.ts"

/** A memory to be stored, and where it belongs: a project, or everywhere. */
export interface PlantedMemory {
  content: string
  project: string | null
  createdAt: number
  type: "fact" | "observation"
  source: "user-stated" | "extracted" | "inferred"
}

/** Two memories, by their places in the list, and what people say of them. */
export interface PlantedPair {
  label: LabelledPair["label"] | "repeated"
  set: LabelledPair["set"] | "natural"
  a: number
  b: number
}

/** A store to be gardened, and what is hidden in it. */
export interface Planted {
  memories: PlantedMemory[]
  pairs: PlantedPair[]
  /** Those that have expired. */
  stale: Set<number>
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** More than half of all belongs everywhere, so that one place is large; the rest to nine projects. */
const projects = 9
const shareEverywhere = 0.55
/** Of all memories, the most that are pairs of each label, repeated, and expired. */
const shares = { opposite: 0.05, paraphrase: 0.03, neither: 0.03, repeated: 0.03, stale: 0.02 }

/** Makes a store of that size from sentences people wrote, with labelled pairs, repetitions and expired ones in it. */
export async function plant(size: number, now: number): Promise<Planted> {
  const random = createSeededRandom(size)
  const planted: Planted = { memories: [], pairs: [], stale: new Set() }
  const { memories, pairs } = planted
  const add = (memory: Partial<PlantedMemory> & { content: string; project: string | null }) => {
    const createdAt = now - 2 * dayMs + memories.length
    return memories.push({ createdAt, type: "fact", source: "extracted", ...memory }) - 1
  }
  plantPairs(random, size, (pair, project, index) => {
    // Every fifth time the older one is trusted more: then neither may replace the other.
    const isTrusted = pair.label === "opposite" && index % 5 === 0
    const a = add({ content: pair.older, project, source: isTrusted ? "user-stated" : "extracted" })
    const b = add({ content: pair.newer, project, createdAt: now - dayMs })
    pairs.push({ label: pair.label, set: pair.set, a, b })
  })
  const repeated = Math.floor(size * shares.repeated)
  const stale = Math.floor(size * shares.stale)
  const natural = await naturalSentences(size - memories.length - repeated)
  const first = memories.length
  for (const [index, content] of natural.entries()) {
    const isStale = index < stale
    const old = { createdAt: now - 400 * dayMs, type: "observation" as const, source: "inferred" as const }
    const at = add({ content, project: somewhere(random), ...(isStale ? old : {}) })
    if (isStale) planted.stale.add(at)
  }
  for (let index = 0; index < repeated; index += 1) {
    const a = first + stale + Math.floor((index * (natural.length - stale)) / repeated)
    const { content = "", project = null } = memories[a] ?? {}
    pairs.push({ label: "repeated", set: "natural", a, b: add({ content: again(content, index), project }) })
  }
  return planted
}

function somewhere(random: Random): string | null {
  const drawn = random.next()
  return drawn < shareEverywhere ? null : `project-${Math.floor((drawn - shareEverywhere) * 1000) % projects}`
}

/** Gives each labelled pair a place in which neither of its sentences stands yet, if one is found. */
function plantPairs(
  random: Random,
  size: number,
  give: (pair: LabelledPair, project: string | null, index: number) => void,
): void {
  const used = new Set<string>()
  const labels = ["opposite", "paraphrase", "neither"] as const
  for (const [index, pair] of labels.flatMap((label) => someOf(label, size)).entries()) {
    const texts = [pair.older, pair.newer].map((text) => text.toLowerCase().replace(/[.!?]+$/, ""))
    const places = Array.from({ length: 8 }, () => somewhere(random))
    const place = places.find((one) => !texts.some((text) => used.has(`${one} ${text}`)))
    if (place === undefined) continue
    for (const text of texts) used.add(`${place} ${text}`)
    give(pair, place, index)
  }
}

/** As many pairs of a label as a store of that size has, from everywhere in the data. */
function someOf(label: LabelledPair["label"], size: number): LabelledPair[] {
  const all = loadPairs().filter((pair) => pair.label === label)
  const most = Math.min(all.length, Math.floor((size * shares[label]) / 2))
  return Array.from({ length: most }, (_, index) => all[Math.floor((index * all.length) / most)]).filter(
    (pair) => pair !== undefined,
  )
}

/** The same said again: in another case, with other spaces, without its full stop, or just so. */
function again(content: string, index: number): string {
  if (index % 4 === 0) return content.replaceAll(" ", "  ")
  if (index % 4 === 1) return content.replace(/\.$/, "")
  if (index % 4 === 2) return content.charAt(0).toLowerCase() + content.slice(1)
  return content
}
