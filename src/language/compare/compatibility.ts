import type { Opposition } from "./relation.ts"

/**
 * Whether two opposed statements can both be true: who went to Paris may go to London too. A negation, a reversal or
 * another version never can.
 */
export function canBothBeTrue(older: string, newer: string, { by }: Opposition): boolean {
  if (by === "negation") return speaksOfSome(older) && speaksOfSome(newer)
  if (by === "antonym" || by === "preference") return false
  if (isDialogueLine(older) && isDialogueLine(newer) && by !== "version") return true
  return isEvent(older) || isEvent(newer)
}

/** A line of a dialogue: a later line does not replace it. */
export function isDialogueLine(text: string): boolean {
  return /^(\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*){0,2}|user|assistant|system): /u.test(text)
}

/** Whether a text reports a single event: a later one is another event. */
export function isEvent(text: string): boolean {
  const words = plainWords(text)
  return words.some((word, at) => {
    const [before = "", next = ""] = [words[at - 1], words[at + 1]]
    if (states.has(before)) return false
    if (events.has(word)) return true
    if (!/[^e]ed$/.test(word) || changes.test(word)) return false
    // "Limited to 3 requests" is a state, "Restarted the server" is an event.
    return at === 0 ? !links.has(next) : doers.has(before)
  })
}

/** The words of a text in lower case: letters only. */
export function plainWords(text: string): string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? []
}

/** "Some tests need Docker" does not exclude others that do not. */
function speaksOfSome(text: string): boolean {
  return plainWords(text).some((word) => quantifiers.has(word))
}

const quantifiers = new Set("some many most several few certain various".split(" "))
const states = new Set("is are be been being was were am get gets to has have".split(" "))
const doers = new Set("we i he she they you".split(" "))
const links = new Set("to on in by with at as for from via under".split(" "))
/** Verbs of change: the statement describes the state since then. */
const changes =
  /^(?:switch|migrat|mov|chang|convert|upgrad|downgrad|transition|port|replac|need|us|prefer|want|lik)ed$/

/** Verbs of single events. */
const events: ReadonlySet<string> = new Set(
  `went visited bought purchased met saw watched ate drank played attended joined tried walked drove flew traveled
  travelled cooked baked painted received gave told said asked called wrote sent found learned learnt celebrated booked
  ordered happened took finished completed hosted adopted won lost sold threw heard noticed discovered mentioned fixed
  merged reported reviewed released restarted rebooted paid spent shipped`.split(/\s+/),
)
