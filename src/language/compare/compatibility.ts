import type { Opposition } from "./relation.ts"

/**
 * Whether two statements that name different things can both be true all the same: somebody who went to Paris may go to
 * London too. What is denied, reversed or of another version never can.
 */
export function canBothHold(older: string, newer: string, { by }: Opposition): boolean {
  if (by === "negation") return speaksOfSome(older) && speaksOfSome(newer)
  if (by === "antonym" || by === "preference") return false
  if (isSpoken(older) && isSpoken(newer) && by !== "version") return true
  return isEvent(older) || isEvent(newer)
}

/** A line of a conversation tells what was said then; another line takes nothing of it back. */
export function isSpoken(text: string): boolean {
  return /^(\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*){0,2}|user|assistant|system): /u.test(text)
}

/** Whether a text tells of something done once: the next time is another event. */
export function isEvent(text: string): boolean {
  const words = wordsOf(text)
  return words.some((word, at) => {
    const [before = "", next = ""] = [words[at - 1], words[at + 1]]
    if (states.has(before)) return false
    if (events.has(word)) return true
    if (!/[^e]ed$/.test(word) || changes.test(word)) return false
    // "Limited to 3 requests" tells a state, "Restarted the server" does not.
    return at === 0 ? !links.has(next) : doers.has(before)
  })
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? []
}

/** "Some tests need Docker" leaves room for others that do not. */
function speaksOfSome(text: string): boolean {
  return wordsOf(text).some((word) => quantifiers.has(word))
}

const quantifiers = new Set("some many most several few certain various".split(" "))
const states = new Set("is are be been being was were am get gets to has have".split(" "))
const doers = new Set("we i he she they you".split(" "))
const links = new Set("to on in by with at as for from via under".split(" "))
/** What tells of a change tells what holds since. */
const changes =
  /^(?:switch|migrat|mov|chang|convert|upgrad|downgrad|transition|port|replac|need|us|prefer|want|lik)ed$/

/** Verbs of what happened once: the next time is another event. */
const events: ReadonlySet<string> = new Set(
  `went visited bought purchased met saw watched ate drank played attended joined tried walked drove flew traveled
  travelled cooked baked painted received gave told said asked called wrote sent found learned learnt celebrated booked
  ordered happened took finished completed hosted adopted won lost sold threw heard noticed discovered mentioned fixed
  merged reported reviewed released restarted rebooted paid spent shipped`.split(/\s+/),
)
