/** What "I …" becomes when it is told of the user. */
const verbs: Record<string, string> = {
  prefer: "prefers",
  like: "likes",
  love: "loves",
  hate: "hates",
  dislike: "dislikes",
  want: "wants",
  use: "uses",
  work: "works",
  need: "needs",
  have: "has",
  favor: "favors",
  favour: "favours",
  expect: "expects",
  write: "writes",
  run: "runs",
  do: "does",
  "don't": "doesn't",
  live: "lives",
  commit: "commits",
  deploy: "deploys",
  review: "reviews",
}

const adverbs = "really|always|usually|generally|normally|mostly|strongly|much|also|never|typically|often"

/** A sentence of the user's about themselves as one about the user, so that it stands alone. */
export function inThirdPerson(text: string): string {
  return sentence(
    text
      .replace(new RegExp(String.raw`^i (?:(${adverbs}) )?([a-z']+)\b`, "i"), (whole, adverb, verb) => {
        const told = verbs[String(verb).toLowerCase()]
        if (told === undefined) return whole
        return `The user ${adverb ? `${adverb} ` : ""}${told}`
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

/** A text as one sentence: it begins with a capital unless that would change a name, and ends with a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim().replace(/[\s,;:]+$/, "")
  const [first = ""] = trimmed.split(/\s/)
  const isName = /[._/@\d-]|[a-z][A-Z]|^[`"']/.test(first)
  const begun = isName ? trimmed : trimmed.slice(0, 1).toUpperCase() + trimmed.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}
