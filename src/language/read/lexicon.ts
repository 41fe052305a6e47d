import alternatives from "../../../assets/words/alternatives.json" with { type: "json" }
import antonyms from "../../../assets/words/antonyms.json" with { type: "json" }
import broader from "../../../assets/words/broader.json" with { type: "json" }
import scopes from "../../../assets/words/scopes.json" with { type: "json" }
import synonyms from "../../../assets/words/synonyms.json" with { type: "json" }
import { baseForm } from "./inflection.ts"

/** How two words or phrases relate according to the word lists. */
type WordRelation = "equal" | "synonym" | "near" | "antonym" | "alternative" | "scope" | "unknown"

export interface Lexicon {
  base(word: string): string
  /** How many base forms from a position on make one phrase of the lists; 1 if none. */
  phraseLength(bases: readonly string[], at: number): number
  relate(a: string, b: string): WordRelation
  /** Whether it is in any list. */
  knows(word: string): boolean
  /** Whether both belong to one group of alternatives. */
  shareGroup(a: string, b: string): boolean
  /** Whether it belongs to any group of alternatives. */
  isInGroup(word: string): boolean
}

/** The entries of a word in the lists. */
interface WordEntry {
  synonyms: number[]
  /** Lines of antonyms, with the side as sign. */
  antonyms: number[]
  /** Groups, with the number of the member. */
  groups: Map<number, number>
  scopes: Map<number, number>
  /** Kinds it belongs to, and kinds it names. */
  kinds: number[]
  names: number[]
}

let built: Lexicon | undefined

/** The word lists, prepared on first use. */
export function lexicon(): Lexicon {
  built ??= buildLexicon()
  return built
}

function buildLexicon(): Lexicon {
  const isBase = knownWords()
  const entries = new Map<string, WordEntry>()
  const phraseStarts = new Map<string, string[][]>()
  const bases = new Map<string, string>()
  const base = (word: string): string => {
    const known = bases.get(word)
    if (known !== undefined) return known
    if (bases.size > 50_000) bases.clear()
    const found = baseForm(word, isBase)
    bases.set(word, found)
    return found
  }
  const entryOf = (entry: string): WordEntry => {
    const words = entry.split(/[\s-]+/).map(base)
    const key = words.join(" ")
    if (words.length > 1) addPhrase(phraseStarts, words)
    const existing = entries.get(key)
    if (existing !== undefined) return existing
    const made: WordEntry = {
      synonyms: [],
      antonyms: [],
      groups: new Map(),
      scopes: new Map(),
      kinds: [],
      names: [],
    }
    entries.set(key, made)
    return made
  }
  fill(entryOf)
  for (const starts of phraseStarts.values()) starts.sort((a, b) => b.length - a.length)
  return {
    base,
    phraseLength: (words, at) => phraseLength(phraseStarts.get(words[at] ?? ""), words, at),
    relate: (a, b) => (a === b ? "equal" : relateWords(a, b, entries)),
    knows: (word) => entries.has(word),
    isInGroup: (word) => (entries.get(word)?.groups.size ?? 0) > 0,
    shareGroup: (a, b) => sharesKey(entries.get(a)?.groups, entries.get(b)?.groups),
  }
}

function knownWords(): (word: string) => boolean {
  const all = JSON.stringify([antonyms, alternatives, scopes, synonyms, broader])
  const known = new Set(all.match(/[a-z]{2,}/g) ?? [])
  return (word) => known.has(word)
}

/** assets/words/README.md explains each list. */
function fill(entryOf: (entry: string) => WordEntry): void {
  for (const [index, line] of synonyms.entries()) {
    for (const entry of line.split(", ")) entryOf(entry).synonyms.push(index)
  }
  for (const [index, line] of antonyms.entries()) {
    const [left = "", right = ""] = line.split(" | ")
    for (const entry of left.split(", ")) entryOf(entry).antonyms.push(index + 1)
    for (const entry of right.split(", ")) entryOf(entry).antonyms.push(-index - 1)
  }
  fillGroups(alternatives, (entry) => entryOf(entry).groups)
  fillGroups(scopes, (entry) => entryOf(entry).scopes)
  for (const [index, [names, members]] of Object.entries(broader).entries()) {
    for (const entry of names.split(", ")) entryOf(entry).names.push(index)
    for (const entry of members.split(", ")) entryOf(entry).kinds.push(index)
  }
}

function fillGroups(
  groups: Readonly<Record<string, string>>,
  of: (entry: string) => Map<number, number>,
): void {
  for (const [index, members] of Object.values(groups).entries()) {
    for (const [member, names] of members.split(", ").entries()) {
      for (const name of names.split("/")) of(name).set(index, member)
    }
  }
}

function addPhrase(starts: Map<string, string[][]>, words: string[]): void {
  const [first = ""] = words
  const known = starts.get(first)
  if (known === undefined) starts.set(first, [words])
  else known.push(words)
}

function phraseLength(phrases: string[][] | undefined, words: readonly string[], at: number): number {
  const found = phrases?.find((phrase) => phrase.every((word, index) => words[at + index] === word))
  return found?.length ?? 1
}

function relateWords(a: string, b: string, entries: ReadonlyMap<string, WordEntry>): WordRelation {
  const first = entries.get(a)
  const second = entries.get(b)
  if (first === undefined || second === undefined) return oppositeByForm(a, b) ? "antonym" : "unknown"
  const together =
    shares(first.synonyms, second.synonyms) ||
    isSameMember(first.groups, second.groups) ||
    isSameMember(first.scopes, second.scopes)
  const similar = shares(first.kinds, second.names) || shares(first.names, second.kinds)
  const opposed = excludes(a, b, first, second)
  const special = opposed === "alternative" && (a.endsWith(` ${b}`) || b.endsWith(` ${a}`))
  if (opposed !== undefined) return together || similar || special ? "near" : opposed
  if (together) return "synonym"
  return similar || shares(first.names, second.names) ? "near" : "unknown"
}

function excludes(a: string, b: string, first: WordEntry, second: WordEntry): WordRelation | undefined {
  if (first.antonyms.some((line) => second.antonyms.includes(-line)) || oppositeByForm(a, b)) return "antonym"
  if (isOtherMember(first.scopes, second.scopes)) return "scope"
  return isOtherMember(first.groups, second.groups) ? "alternative" : undefined
}

function shares(a: readonly number[], b: readonly number[]): boolean {
  return a.some((entry) => b.includes(entry))
}

function sharesKey(a?: ReadonlyMap<number, number>, b?: ReadonlyMap<number, number>): boolean {
  if (a === undefined || b === undefined) return false
  for (const group of a.keys()) if (b.has(group)) return true
  return false
}

function isSameMember(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): boolean {
  for (const [group, member] of a) if (b.get(group) === member) return true
  return false
}

function isOtherMember(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): boolean {
  for (const [group, member] of a) {
    const other = b.get(group)
    if (other !== undefined && other !== member) return true
  }
  return false
}

/** Negating prefixes, with the least length of the rest: import is not a negated port. */
const denyingPrefixes: Readonly<Record<string, number>> = {
  un: 4,
  non: 4,
  anti: 4,
  in: 6,
  im: 6,
  il: 5,
  ir: 6,
  dis: 6,
  mis: 6,
  de: 7,
}

/** unavailable and available, careful and careless, overpaid and underpaid. */
function oppositeByForm(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  if (short.length >= 4 && long.length > short.length && long.endsWith(short)) {
    const least = denyingPrefixes[long.slice(0, long.length - short.length)]
    return least !== undefined && short.length >= least
  }
  if (a.endsWith("less") !== b.endsWith("less")) {
    const [less, other] = a.endsWith("less") ? [a, b] : [b, a]
    return other === `${less.slice(0, -4)}ful`
  }
  return isSwapped(a, b, "over", "under") || isSwapped(a, b, "pre", "post") || isSwapped(a, b, "up", "down")
}

function isSwapped(a: string, b: string, one: string, other: string): boolean {
  const swaps = (x: string, y: string) =>
    x.startsWith(one) && x.length >= one.length + 3 && y === other + x.slice(one.length)
  return swaps(a, b) || swaps(b, a)
}
