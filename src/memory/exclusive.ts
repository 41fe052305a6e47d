import type { Opposition } from "./contradiction/relation.ts"

/**
 * Whether two statements that name different things can both be true all the same: somebody who went to Paris may go to
 * London too, and who likes tea may like coffee. What is denied, reversed or of another version never can.
 */
export function canBothHold(older: string, newer: string, { by }: Opposition): boolean {
  if (by !== "alternative" && by !== "slot" && by !== "number" && by !== "ordinal") return false
  if (isSpoken(older) && isSpoken(newer)) return true
  const words = new Set([...wordsOf(older), ...wordsOf(newer)])
  if (hasAny(words, events)) return true
  return by !== "number" && by !== "ordinal" && hasAny(words, plural)
}

/** A line of a conversation tells what was said then; another line takes nothing of it back. */
export function isSpoken(text: string): boolean {
  return /^(\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*){0,2}|user|assistant|system): /u.test(text)
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? []
}

function hasAny(words: ReadonlySet<string>, list: ReadonlySet<string>): boolean {
  for (const word of words) if (list.has(word)) return true
  return false
}

/** Verbs of what happened once: the next time is another event. */
const events: ReadonlySet<string> = new Set(
  `went visited bought purchased met saw watched ate drank played attended joined tried walked drove flew traveled
  travelled cooked baked painted received gave told said asked called wrote sent found learned learnt celebrated booked
  ordered happened took finished completed hosted adopted won lost sold threw heard noticed discovered mentioned fixed
  merged reported reviewed`.split(/\s+/),
)

/** Verbs that hold for several things at a time. */
const plural: ReadonlySet<string> = new Set(
  `has have had having likes like liked loves love loved enjoys enjoy enjoyed knows know knew wants want plays play speaks
  speak collects collect supports support includes include contains contain provides provide offers offer depends depend
  needs need requires require imports import reads read eats eat drinks drink hates hate dislikes dislike`.split(
    /\s+/,
  ),
)
