import type { Sentence } from "../../../language/read/sentences.ts"
import { asSentence } from "../../../language/read/third-person.ts"
import type { Draft } from "./rule.ts"

/** A procedure, and the number of sentences it takes. */
export interface Procedure {
  draft: Draft
  taken: number
}

const goal = String.raw`(?<goal>[\w][\w /.'-]{2,60}?)`

/** Introductions of a procedure; tasks ("do these steps") do not match. */
const introductions: readonly RegExp[] = [
  new RegExp(`^to ${goal}(?: here| in this (?:repo|project))?$`, "i"),
  new RegExp(
    `^(?:here(?:'s| is)|this is) how (?:we|you|to) ${goal}(?: here| in this (?:repo|project))?$`,
    "i",
  ),
  new RegExp(`^how (?:to|we) ${goal}(?: here| in this (?:repo|project))?$`, "i"),
  new RegExp(`^(?:the|our) steps (?:to|for) ${goal}(?: are)?$`, "i"),
  /^(?:our|the) (?<goal>[\w -]{2,40}) (?:process|procedure|workflow|routine|checklist)(?: is| goes like this| is as follows)?$/i,
  new RegExp(`^the way we (?:do|handle|make|run) ${goal}(?: is)?$`, "i"),
]

/** Reads a procedure that begins with this sentence. */
export function readProcedure(sentences: readonly Sentence[], at: number): Procedure | undefined {
  const first = sentences[at]
  if (first === undefined || first.isItem || first.end === "?") return undefined
  return listed(sentences, at, first) ?? inOneLine(sentences, first) ?? spoken(first)
}

/** An introduction with a list below it. */
function listed(sentences: readonly Sentence[], at: number, first: Sentence): Procedure | undefined {
  if (first.end !== ":") return undefined
  const what = goalOf(first.text)
  if (what === undefined) return undefined
  const items: string[] = []
  let taken = 1
  for (const next of sentences.slice(at + 1)) {
    if (!next.isItem) break
    items.push(next.text)
    taken += 1
  }
  return items.length < 2 ? undefined : { draft: draftOf(what, items), taken }
}

/** "To release: 1. bump … 2. run … 3. tag …", "our hotfix process is: branch, fix, then tag". */
function inOneLine(sentences: readonly Sentence[], first: Sentence): Procedure | undefined {
  const line = sentences.filter((one) => one.line === first.line)
  if (line[0] !== first) return undefined
  const whole = line.map(({ text, end }) => text + (end === ":" ? ":" : end === "." ? "." : "")).join(" ")
  const split = /^([^:]{3,80}):\s+(.+)$/.exec(whole)
  const what = split?.[1] === undefined ? undefined : goalOf(split[1])
  if (what === undefined || split?.[2] === undefined) return undefined
  const steps = stepsOf(split[2])
  return steps.length < 2 ? undefined : { draft: draftOf(what, steps), taken: line.length }
}

/** "To regenerate the client, first run …, then run …", "when the queue gets stuck, first …, then …". */
function spoken({ text }: Sentence): Procedure | undefined {
  const match =
    /^(?<lead>to (?<goal>[\w][\w /.'-]{2,50}?))(?:,? (?:you|we) |, (?:first |you |we ))(?<rest>.+\bthen\b.+)$/i.exec(
      text,
    ) ??
    /^(?<lead>(?:when|whenever|before|after) (?:every |each |a |the )?[\w -]{3,50}),\s*(?<rest>(?:first\b|run\b|you\b).+\bthen\b.+)$/i.exec(
      text,
    )
  const { lead, rest } = match?.groups ?? {}
  if (lead === undefined || rest === undefined) return undefined
  if (
    /^(?:to (?:be|me|see|do)|when (?:you|you're|i)|before you (?:do|start)|after (?:that|this))\b/i.test(lead)
  )
    return undefined
  const steps = stepsOf(rest)
  return steps.length < 2 ? undefined : { draft: draftOf(lead, steps), taken: 1 }
}

function goalOf(text: string): string | undefined {
  for (const introduction of introductions) {
    const what = introduction.exec(text)?.groups?.goal?.trim()
    if (what !== undefined && !/^(?:do|be|the following|this|that|it|me|summari[sz]e)\b/i.test(what)) {
      return /^to\b/i.test(text) || /\bhow\b|\bsteps\b/i.test(text) ? `To ${what}` : `The ${what} process`
    }
  }
  return undefined
}

/** Steps in a row: numbered, or separated by commas and "then". */
function stepsOf(text: string): string[] {
  const numbered = text.split(/(?:^|\s)\(?\d{1,2}[.)]\s+/).filter((part) => part.trim() !== "")
  const parts =
    numbered.length > 1
      ? numbered
      : text.split(
          /,?\s+(?:and )?(?:only )?(?:then|finally|afterwards|after that)\s+|,\s+(?:and )?|\s+and (?=(?:run|seed|restart|push|tag|merge|check|send|import|add|update)\b)/i,
        )
  return parts
    .map((part) =>
      part
        .replace(/^(?:first|then|and|finally|you|we)\s+/i, "")
        .replace(/[.,;]+$/, "")
        .trim(),
    )
    .filter((part) => part.length > 1)
}

function draftOf(what: string, steps: string[]): Draft {
  return {
    content: asSentence(`${what}: ${steps.join("; ")}`),
    type: "procedure",
    confidence: 0.85,
    steps,
  }
}
