import type { z } from "zod"
import type { Random } from "../../src/base/random.ts"
import type { newMemorySchema } from "../../src/memory/model/memory.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"

/** A memory as a line of an import gives it. */
export type MadeUpMemory = z.input<typeof newMemorySchema>

/** An endless supply of memories and queries, the same for the same seed. */
export interface Texts {
  memory(): MadeUpMemory
  /** Three words that are neither everywhere nor rare, so that hundreds to thousands of memories match. */
  query(): string
  /** A whole sentence, as people ask: with words that are nearly everywhere. */
  sentence(): string
}

const vocabularySize = 4000
const vocabularySeed = 4711
/** Ranks of the words queries are made of. */
const queryRanks = { from: 5, to: 120 }
const projectCount = 8
const firstDay = Date.UTC(2025, 0, 1)

/** The project whose memories, besides the global ones, a search sees. */
export const searchedProject = "project-0"

/** Makes memories like those of coding agents: template sentences around words with Zipf's frequencies. */
export function createTexts(seed: number): Texts {
  const random = createSeededRandom(seed)
  const words = zipfWords(random)
  let made = 0
  return {
    memory() {
      made += 1
      const project = Math.floor(random.next() * projectCount * 1.5)
      return {
        content: sentences(random, words),
        type: pick(random, types),
        tags: [pick(random, tags), pick(random, tags)],
        source: pick(random, sources),
        createdAt: firstDay + made * 60_000,
        ...(project < projectCount ? { project: `project-${project}` } : {}),
      }
    },
    query() {
      const span = queryRanks.to - queryRanks.from
      const word = () => vocabulary[queryRanks.from + Math.floor(random.next() * span)] ?? ""
      return `${word()} ${word()} ${word()}`
    },
    sentence: () => sentence(random, words),
  }
}

function sentences(random: Random, word: () => string): string {
  const count = 1 + Math.floor(random.next() * 3)
  return Array.from({ length: count }, () => sentence(random, word)).join(" ")
}

function sentence(random: Random, word: () => string): string {
  return pick(random, templates).replaceAll(/[#*]/g, (mark) =>
    mark === "*" ? word() : String(Math.floor(random.next() * 9000)),
  )
}

/** One of these, each as likely. */
export function pick<T>(random: Random, from: readonly [T, ...T[]]): T {
  return from[Math.floor(random.next() * from.length)] ?? from[0]
}

/** Draws words so that the n-th most frequent comes up with a weight of 1/n. */
function zipfWords(random: Random): () => string {
  return drawBy(random, vocabulary, (rank) => 1 / (rank + 1))
}

/** Draws from these, each with the weight of its place. */
export function drawBy(
  random: Random,
  words: readonly string[],
  weight: (rank: number) => number,
): () => string {
  const sums = new Float64Array(words.length)
  let sum = 0
  for (let rank = 0; rank < sums.length; rank += 1) {
    sum += weight(rank)
    sums[rank] = sum
  }
  return () => words[rankOf(sums, random.next() * sum)] ?? ""
}

/** The first place whose sum is above the wanted one. */
function rankOf(sums: Float64Array, wanted: number): number {
  let low = 0
  let high = sums.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] ?? 0) > wanted) high = middle
    else low = middle + 1
  }
  return low
}

const syllables = "ba ce di fo gu ka le mi no pu ra se ti vo zu bran clo dre fli gra plen stro tri vex".split(
  " ",
)
const endings = ["", "n", "r", "x", "l", "nd", "ck", "sh", "m", "t"] as const

const vocabulary = makeVocabulary()

function makeVocabulary(): string[] {
  const random = createSeededRandom(vocabularySeed)
  const words = new Set<string>()
  const syllable = () => syllables[Math.floor(random.next() * syllables.length)] ?? ""
  while (words.size < vocabularySize) {
    const length = 2 + Math.floor(random.next() * 2)
    words.add(Array.from({ length }, syllable).join("") + pick(random, endings))
  }
  return [...words]
}

const types = ["fact", "preference", "procedure", "correction", "negative", "observation"] as const
const sources = ["user-stated", "observed", "extracted", "inferred"] as const
const tags = [
  "build",
  "test",
  "deploy",
  "style",
  "database",
  "network",
  "security",
  "review",
  "release",
  "editor",
  "docs",
  "ci",
] as const

/** A star stands for a word of the vocabulary, # for a number. */
const templates = [
  "Use * instead of * when the * * is slow.",
  "The tests in src/*/*.ts fail with error # unless * is started before *.",
  "Run `npm run * -- --*` before you commit changes to the * module.",
  "The user prefers * over * for * and wants short * in every *.",
  "Never edit *.lock by hand: the * * writes it again from * #.",
  "The * service listens on port # and needs * and * in its environment.",
  "* was replaced by * in version #; the old * is kept for * only.",
  "When * times out, look at the * log first: * and * are usually the cause.",
  "Decided to keep the * in * because * made the * * too hard to follow.",
  "The database of * has a table * with # rows; queries on * need the index on *.",
  "Deploys of * go through *: build, *, then * on the staging machine.",
  "In the * package every * is a function that takes a * and returns *.",
  "The flaky * test was caused by * racing with *; waiting for the * entry fixed it.",
  "* and * must not import each other; shared * belongs into *.",
  "Correction: the * endpoint returns * with status #, not *.",
  "Reviewers ask for * in pull requests that touch * or *.",
] as const
