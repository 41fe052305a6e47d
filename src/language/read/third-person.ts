import { wordSet } from "../words/word-lists.ts"

/** Verbs after "I" that are rewritten about the user. */
const regularVerbs = wordSet(
  "prefer like love hate dislike want use work need favor favour expect write run live commit deploy review",
)
const irregularVerbs = new Map([
  ["have", "has"],
  ["do", "does"],
  ["don't", "doesn't"],
])

function thirdPersonOf(verb: string): string | undefined {
  return irregularVerbs.get(verb) ?? (regularVerbs.has(verb) ? `${verb}s` : undefined)
}

const adverbs = "really|always|usually|generally|normally|mostly|strongly|much|also|never|typically|often"

/** A sentence of the user about themselves, rewritten about "the user", so that it is understood alone. */
export function inThirdPerson(text: string): string {
  return asSentence(
    text
      .replace(new RegExp(String.raw`^i (?:(${adverbs}) )?([a-z']+)\b`, "i"), (whole, adverb, verb) => {
        const inThird = thirdPersonOf(String(verb).toLowerCase())
        if (inThird === undefined) return whole
        return `The user ${adverb ? `${adverb} ` : ""}${inThird}`
      })
      .replace(/^(?:i'm|im|i am)\b/i, "The user is")
      .replace(/^(?:i've|i have)\b/i, "The user has")
      .replace(/^(?:i'd|i would) (rather|prefer|like)\b/i, "The user would $1")
      .replaceAll(/\b(?:i'm|i am)\b/gi, "the user is")
      .replaceAll(/\bI (?=[a-z])/g, "the user ")
      .replaceAll(/\bmy\b/gi, "the user's")
      .replaceAll(/\bme\b/gi, "the user")
      .replaceAll(/\bmyself\b/gi, "themselves")
      .replaceAll(/\b(?:here)(?=[,.;]|$)/g, "in this project"),
  )
}

/** A text as one sentence: with a capital unless it begins with a name, and with a full stop. */
export function asSentence(text: string): string {
  const trimmed = text.trim().replace(/[\s,;:]+$/, "")
  const [first = ""] = trimmed.split(/\s/)
  const isName = /[._/@\d-]|[a-z][A-Z]|^[`"']/.test(first)
  const begun = isName ? trimmed : trimmed.slice(0, 1).toUpperCase() + trimmed.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
