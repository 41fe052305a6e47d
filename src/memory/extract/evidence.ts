import { exactValues } from "../../language/exact-values.ts"
import { type Term, termsOf } from "../../language/terms.ts"
import { stripFenced } from "../../llm/fence.ts"
import type { Turn } from "../../sessions/turn.ts"
import { unknownBasis } from "../model/agents/basis.ts"
import { isPromptInjection, ownWords } from "./own-words/own-words.ts"

/** The share of a claim's words that its evidence must contain. */
const leastShare = 0.6
/** The share of a claim's words that makes a single sentence part of its evidence. */
const leastShareOfSentence = 0.3
/** At most this many sentences of one turn, fingerprints of a sentence, and keys of a claim. */
const mostSentences = 3
const mostFingerprints = 6
const mostKeys = 60
/** Consecutive words in one fingerprint. */
const fingerprintWords = 3

/** Whether turns say what a claim says: most of its words, and every exact value in it. */
export function isSupportedBy(content: string, turns: readonly Turn[]): boolean {
  const text = turns.map(evidenceIn).join("\n")
  const terms = new Set(termsOf(content.replace(/\bthe user('s)?\b/gi, " ")))
  if (text.trim() === "" || terms.size === 0) return false
  const values = exactValues(content)
  return shareOf(text, terms) >= leastShare && values.every((value) => text.toLowerCase().includes(value))
}

/** The text of a turn that counts as evidence: a user's own words; of others, everything that Reverie did not insert. */
function evidenceIn({ role, text }: Turn): string {
  if (isPromptInjection(text)) return ""
  return role === "user" ? ownWords(text) : stripFenced(text)
}

/** The share of these terms that a text contains. */
function shareOf(text: string, terms: ReadonlySet<Term>): number {
  const found = new Set(termsOf(text))
  return [...terms].filter((term) => found.has(term)).length / Math.max(1, terms.size)
}

/**
 * The basis of an agent's claim: the files, addresses and texts of the tool outputs and pasted texts that say it. A second
 * session confirms the claim only with a basis of its own. Texts are stored as fingerprints, which survive small changes;
 * files by their name alone, since every clone has another folder.
 */
export function basisOf(content: string, turns: readonly Turn[], to: number): string[] {
  const terms = new Set(termsOf(content))
  const sources = turns.filter(
    ({ role, position, text }) =>
      role !== "assistant" && position <= to && shareOf(stripFenced(text), terms) >= leastShare,
  )
  const keys = sources.flatMap((turn) => [...filesAndAddressesOf(turn), ...fingerprintsOf(turn, terms)])
  return keys.length === 0 ? [unknownBasis] : [...new Set(keys)].slice(0, mostKeys)
}

/** The files and addresses that a tool's output came from, as its call named them. */
function filesAndAddressesOf({ role, text, files = [] }: Turn): string[] {
  if (role !== "tool") return []
  const [first = ""] = text.split("\n", 1)
  const call = first.startsWith("$ ") ? first : ""
  const addresses = call.match(/https?:\/\/[^\s"'<>|)]+/gi) ?? []
  const paths = call.match(/[\w.~@/-]*[\w-]\.[a-z]\w{0,7}\b/gi) ?? []
  return [
    ...addresses.map((address) => `url:${address.toLowerCase().replace(/^https?:\/\/|[?#].*$/g, "")}`),
    ...[...files, ...(addresses.length > 0 ? [] : paths)].map((path) => `file:${fileName(path)}`),
  ].map((key) => key.slice(0, 100))
}

function fileName(path: string): string {
  return (path.split(/[\\/]/).findLast((part) => part !== "") ?? path).toLowerCase()
}

/** Fingerprints of the sentences that say the claim: the smallest hashes of word runs, so that copies share some. */
function fingerprintsOf({ text }: Turn, terms: ReadonlySet<Term>): string[] {
  const sentences = stripFenced(text)
    .split(/[\n!?;]+|\.(?=\s)/)
    .map((sentence) => ({ sentence, share: shareOf(sentence, terms) }))
    .filter(({ share }) => share >= leastShareOfSentence)
    .sort((a, b) => b.share - a.share)
    .slice(0, mostSentences)
  return sentences.flatMap(({ sentence }) => {
    const words = termsOf(sentence)
    const hashes: number[] = []
    for (let at = 0; at + fingerprintWords <= Math.max(words.length, fingerprintWords); at += 1)
      hashes.push(hashOf(words.subarray(at, at + fingerprintWords)))
    return [...new Set(hashes)]
      .sort((a, b) => a - b)
      .slice(0, mostFingerprints)
      .map((hash) => `text:${hash.toString(36)}`)
  })
}

function hashOf(terms: Uint32Array): number {
  let value = 0x811c9dc5
  for (const term of terms) value = Math.imul(value ^ term ^ (term >>> 15), 0x01000193)
  return value >>> 0
}
