import { withoutLeadIn, withoutTrail } from "../../../language/read/lead-in.ts"
import { type Sentence, sentencesOf } from "../../../language/read/sentences.ts"
import { mustSkip, retracts } from "../../../language/read/skip-reason.ts"
import type { Turn } from "../../../sessions/turn.ts"
import type { Claim } from "../claim.ts"
import { ownWords } from "../own-words/own-words.ts"
import { readConfirmation } from "./confirmation.ts"
import { readCorrection } from "./correction.ts"
import { readDecision } from "./decision.ts"
import { readFromNowOn } from "./from-now-on.ts"
import { readPreference } from "./preference.ts"
import { readProcedure } from "./procedure.ts"
import { readProhibition } from "./prohibition.ts"
import { readProjectFact } from "./project-fact.ts"
import { readRememberCue } from "./remember-cue.ts"
import type { Draft, Reading, Rule } from "./rule.ts"

/** The rules in order; the first match counts. */
const rules: readonly [string, Rule][] = [
  ["correction", readCorrection],
  ["from now on", readFromNowOn],
  ["prohibition", readProhibition],
  ["preference", readPreference],
  ["decision", readDecision],
  ["project fact", readProjectFact],
]

/** At most this many claims per message. */
const mostOfOne = 5
/** Longer messages describe something; only explicit statements are read from them. */
const longestTalk = 1200
/** At most this many sentences of a message are read. */
const mostSentences = 400

/** The claims in the user's own words, found by rules. Turns before `from` are only context. */
export function readTurnsByRules(turns: readonly Turn[], from = 0): Claim[] {
  const claims: Claim[] = []
  let previous: Claim[] = []
  turns.forEach((turn, index) => {
    if (turn.role !== "user") return
    if (retracts(turn.text)) {
      for (const claim of previous) claims.splice(claims.indexOf(claim), 1)
    }
    previous = turn.position < from ? [] : readTurn(turn, answeredBy(turns, index))
    claims.push(...previous)
  })
  return claims
}

/** The agent's last message, if this turn answers it. */
function answeredBy(turns: readonly Turn[], index: number): Turn | undefined {
  for (let at = index - 1; at >= 0; at -= 1) {
    const turn = turns[at]
    if (turn?.role === "user") return undefined
    if (turn?.role === "assistant" && turn.text.trim() !== "") return turn
  }
  return undefined
}

function readTurn(turn: Turn, answered: Turn | undefined): Claim[] {
  const words = ownWords(turn.text)
  if (words === "") return []
  const confirmed = readConfirmation(words.slice(0, 400), answered?.text.slice(-longestAnswered))
  const found: Found[] = confirmed
    ? [{ name: "confirmation", draft: confirmed, from: answered?.position ?? turn.position }]
    : []
  found.push(...readSentences(words, turn.position, answered))
  const seen = new Set<string>()
  return found
    .filter(({ draft }) => !seen.has(draft.content) && seen.add(draft.content) && fits(draft))
    .slice(0, mostOfOne)
    .map(({ name, draft, from }) => claimOf(name, draft, from, turn.position))
}

/** The user answers the end of the agent's message. */
const longestAnswered = 4000
const longestClaim = 400

function fits({ content, steps }: Draft): boolean {
  return content.length >= 10 && content.length <= (steps ? 2000 : longestClaim)
}

interface Found {
  name: string
  draft: Draft
  from: number
}

/** A message as the rules read it. */
interface Message {
  sentences: readonly Sentence[]
  position: number
  answered: Turn | undefined
  isLong: boolean
  isTask: boolean
}

function readSentences(words: string, position: number, answered: Turn | undefined): Found[] {
  const sentences = sentencesOf(words).slice(0, mostSentences)
  const isLong = words.length > longestTalk
  const isTask = sentences.length > 1 && isOrder(sentences[0]?.text ?? "")
  const message: Message = { sentences, position, answered, isLong, isTask }
  let found: Found[] = []
  let taken = 0
  for (const [at, { text }] of sentences.entries()) {
    if (at < taken) continue
    taken = at + 1
    if (retracts(withoutLeadIn(text))) {
      found = []
      continue
    }
    const match = readAt(message, at)
    if (match) found.push(match)
    taken = at + (match?.taken ?? 1)
  }
  return found
}

/** No rule matches longer sentences. */
const longestSentence = 2000

function readAt(message: Message, at: number): (Found & { taken?: number }) | undefined {
  const { sentences, position, answered } = message
  const sentence = sentences[at]
  if (sentence === undefined || sentence.text.length > longestSentence) return undefined
  const whole = withoutTrail(sentence.text)
  const text = withoutTrail(withoutLeadIn(sentence.text))
  const cue = readRememberCue({ text: whole }) ?? readRememberCue({ text })
  if (cue) return { name: "remember", draft: cue, from: position }
  const isPlain = !message.isLong && !message.isTask
  const procedure = isPlain ? readProcedure(sentences, at) : undefined
  if (procedure) return { name: "procedure", draft: procedure.draft, from: position, taken: procedure.taken }
  const reading: Reading = {
    text,
    end: sentence.end,
    before: sentences[at - 1]?.text,
    answered: answered?.text.slice(-longestAnswered),
    inTask: message.isLong || (message.isTask && at > 0) || sentence.isItem,
  }
  const match = readSentence(reading, whole)
  if (match === undefined) return undefined
  return { ...match, from: match.name === "correction" ? (answered?.position ?? position) : position }
}

function readSentence(reading: Reading, whole: string): { name: string; draft: Draft } | undefined {
  if ([whole, reading.text].some((text) => mustSkip(text, reading.end))) return undefined
  for (const [name, rule] of rules) {
    const draft = rule(name === "correction" ? { ...reading, text: whole } : reading)
    if (draft === undefined) continue
    return reading.inTask && !draft.strong ? undefined : { name, draft }
  }
  return undefined
}

const orders =
  /^(?:please |can you |could you |now |next,? )*(?:write|build|create|implement|add|refactor|make|fix|change|update|upgrade|set|rename|remove|delete|generate|move|convert|design|develop|extend|port|migrate|i (?:want|need|would like)(?: you)? (?:to|a|an)\b|i'd like (?:to|you to)|we need (?:to|a|an)\b|acceptance criteria|requirements?)\b/i

function isOrder(text: string): boolean {
  return orders.test(text)
}

function claimOf(name: string, { strong, triggers = [], ...draft }: Draft, from: number, to: number): Claim {
  return {
    source: "extracted",
    confidence: 0.8,
    ...draft,
    from,
    to,
    reason: `rule ${name}`,
    ...(triggers.length > 0 ? { triggers } : {}),
  }
}
