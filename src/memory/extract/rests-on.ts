import { type Term, termsOf } from "../../language/terms.ts"
import { stripFenced } from "../../llm/fence.ts"
import type { Turn } from "../../sessions/turn.ts"
import { unknownBasis } from "../model/agents/basis.ts"

/** Of a claim's telling words, how many must stand in a turn for the claim to rest on it. */
const enough = 0.6
/** Of a sentence, how many of the claim's words make it one that tells it. */
const enoughInSentence = 0.3
/** How many sentences of one turn are looked at, and how many marks are kept of each. */
const mostSentences = 3
const marksKept = 6
/** Words that stand together make a mark. */
const wordsInMark = 3
const mostKeys = 60

/**
 * What a claim of an agent rests on in its session: the files, addresses and texts of the tool outputs and pasted texts
 * that tell it. A second session bears it out only if it rests on none of them, so a text is known by marks that survive
 * small changes, and a file by its name alone, wherever its clone lies.
 */
export function basisOf(content: string, turns: readonly Turn[], to: number): string[] {
  const wanted = new Set(termsOf(content))
  const telling = turns.filter(
    (turn) => turn.role !== "assistant" && turn.position <= to && tells(turn, wanted),
  )
  const keys = telling.flatMap((turn) => [...filesAndAddressesOf(turn), ...marksOf(turn, wanted)])
  return keys.length === 0 ? [unknownBasis] : [...new Set(keys)].slice(0, mostKeys)
}

function tells({ text }: Turn, wanted: ReadonlySet<Term>): boolean {
  return shareOf(stripFenced(text), wanted) >= enough
}

/** The share of some words that a text has. */
function shareOf(text: string, wanted: ReadonlySet<Term>): number {
  const has = new Set(termsOf(text))
  return [...wanted].filter((term) => has.has(term)).length / Math.max(1, wanted.size)
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

/** Marks of the sentences that tell the claim: the smallest numbers of runs of words, so that copies share some. */
function marksOf({ text }: Turn, wanted: ReadonlySet<Term>): string[] {
  const sentences = stripFenced(text)
    .split(/[\n!?;]+|\.(?=\s)/)
    .map((sentence) => ({ sentence, share: shareOf(sentence, wanted) }))
    .filter(({ share }) => share >= enoughInSentence)
    .sort((a, b) => b.share - a.share)
    .slice(0, mostSentences)
  return sentences.flatMap(({ sentence }) => {
    const terms = termsOf(sentence)
    const marks: number[] = []
    for (let at = 0; at + wordsInMark <= Math.max(terms.length, wordsInMark); at += 1)
      marks.push(markOf(terms.subarray(at, at + wordsInMark)))
    return [...new Set(marks)]
      .sort((a, b) => a - b)
      .slice(0, marksKept)
      .map((mark) => `text:${mark.toString(36)}`)
  })
}

function markOf(terms: Uint32Array): number {
  let value = 0x811c9dc5
  for (const term of terms) value = Math.imul(value ^ term ^ (term >>> 15), 0x01000193)
  return value >>> 0
}
