import { messageOf } from "../../base/errors.ts"
import {
  type Judgement,
  judgementOf,
  type SentenceInContext,
  sentenceInContext,
  type TaughtType,
  taughtTypes,
} from "../../judgement/judgement.ts"
import { languageTraces, sharedLanguage } from "../../language/compare/other-languages.ts"
import { withoutLeadIn, withoutTrail } from "../../language/read/lead-in.ts"
import { hasOpenReference } from "../../language/read/open-reference.ts"
import { teachableSentences } from "../../language/read/sentences.ts"
import { addressesAnyAgent, retracts } from "../../language/read/skip-reason.ts"
import { asSentence, inThirdPerson } from "../../language/read/third-person.ts"
import { type Term, termsOf } from "../../language/terms.ts"
import type { Turn } from "../../sessions/turn.ts"
import type { MemoryType } from "../model/kinds.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import type { Claim } from "./claim.ts"
import { withInferredType } from "./infer-type.ts"
import { isPromptInjection, ownWords } from "./own-words/own-words.ts"
import { quotationPlaceholder } from "./own-words/quotations.ts"
import { readTurnsByRules } from "./rules/read-turns.ts"

/** The claims in the user's own words. */
interface UserTurnClaims {
  /** Found by rules: active at once. */
  byRules: Claim[]
  /** The trained model is sure: active at once unless a language model reads too. */
  sure: Claim[]
  /** Other proposals of the trained model: quarantined until confirmed. */
  tentative: Claim[]
}

/** At most this many proposals per message. */
const mostOfOne = 5
/** At most this many sentences per message are judged. */
const mostUnits = 60
const shortest = 10
const longest = 400

/**
 * Reads the user's own words by rules, and asks the trained model about each sentence. Agreement raises the confidence;
 * a proposal of the trained model alone is tentative unless it is very sure. Without it, only rules read.
 */
export async function readUserTurns(
  { embedder, log }: Pick<MemoryCore, "embedder" | "log">,
  turns: readonly Turn[],
  from: number,
): Promise<UserTurnClaims> {
  const byRules = readTurnsByRules(turns, from)
  const judgement = judgementOf(embedder)
  if (judgement === undefined) return { byRules, sure: [], tentative: [] }
  try {
    return join(judgement, byRules, await teachingUnits(judgement, turns, from))
  } catch (error) {
    log.warn("The trained model could not read; rules read alone", { reason: messageOf(error) })
    return { byRules, sure: [], tentative: [] }
  }
}

/** A sentence with the trained model's answer. */
interface Unit extends SentenceInContext {
  position: number
  /** The probability that the sentence teaches something. */
  p: number
  type: Exclude<TaughtType, "nothing">
}

async function teachingUnits(judgement: Judgement, turns: readonly Turn[], from: number): Promise<Unit[]> {
  const asked = turns.flatMap((turn, index) =>
    turn.role === "user" && turn.position >= from && !isTakenBack(turns, index) ? unitsIn(turn) : [],
  )
  if (asked.length === 0) return []
  const answers = await judgement.teaches(asked)
  return asked.flatMap((unit, index): Unit[] => {
    const each = answers[index]
    return each ? [{ ...unit, p: 1 - each.nothing, type: mostLikely(each) }] : []
  })
}

/** Whether the user's next message retracts a turn. */
function isTakenBack(turns: readonly Turn[], index: number): boolean {
  const next = turns.slice(index + 1).find(({ role }) => role === "user")
  return next !== undefined && retracts(next.text)
}

/** The sentences of a turn that could teach something, with their context. */
function unitsIn({ text, position }: Turn): (SentenceInContext & { position: number })[] {
  const units = teachableSentences(ownWords(text)).slice(0, mostUnits)
  const last = units.findLastIndex((unit) => retracts(withoutLeadIn(unit)))
  return units.flatMap((unit, at) =>
    at > last && mayTeach(unit) ? [{ ...sentenceInContext(units, at), position }] : [],
  )
}

function mayTeach(unit: string): boolean {
  if (unit.length < shortest || unit.length > longest || unit.endsWith("?")) return false
  return !unit.includes(quotationPlaceholder) && !isPromptInjection(unit) && !addressesAnyAgent(unit)
}

function mostLikely(answers: Record<TaughtType, number>): Unit["type"] {
  const [best = "fact"] = taughtTypes.filter(isType).sort((a, b) => answers[b] - answers[a])
  return best
}

function isType(type: TaughtType): type is Unit["type"] {
  return type !== "nothing"
}

function join(judgement: Judgement, byRules: readonly Claim[], units: readonly Unit[]): UserTurnClaims {
  const { sure, pending, once } = judgement.thresholds.teaches
  const covers = (claim: Claim, unit: Unit) => claim.to === unit.position && isAbout(claim.content, unit.text)
  const agreed = byRules.map((claim) => {
    const unit = units.find((one) => one.p >= sure && covers(claim, one))
    return unit ? surer(claim, judgement, unit) : claim
  })
  const alone = units.filter((unit) => unit.p >= pending && !byRules.some((claim) => covers(claim, unit)))
  const byTurn = [...Map.groupBy(alone, ({ position }) => position).values()]
  const proposed = byTurn.flatMap((some) => {
    const best = new Set(some.toSorted((a, b) => b.p - a.p).slice(0, mostOfOne))
    return some.filter((unit) => best.has(unit))
  })
  // A sentence with an open reference helps nobody later.
  const isSure = ({ text, p }: Unit) => p >= once && !hasOpenReference(withoutLeadIn(text))
  const claims = (some: readonly Unit[], how: Alone) => some.map((unit) => claimOf(judgement, unit, how))
  return {
    byRules: agreed,
    sure: claims(proposed.filter(isSure), "sure"),
    tentative: claims(
      proposed.filter((unit) => !isSure(unit)),
      "tentative",
    ),
  }
}

function isEnglish(text: string): boolean {
  const traces = languageTraces(text)
  return sharedLanguage(traces, traces) === "en"
}

/** Texts that share this part of the smaller one's words are about the same. */
const enoughShared = 0.6

function isAbout(content: string, unit: string): boolean {
  const [a, b] = [new Set<Term>(termsOf(content)), new Set<Term>(termsOf(unit))]
  const shared = [...a].filter((term) => b.has(term)).length
  return shared >= enoughShared * Math.max(1, Math.min(a.size, b.size))
}

const surerConfidence = 0.9

function surer(claim: Claim, { version }: Judgement, { p }: Unit): Claim {
  return {
    ...claim,
    confidence: Math.max(claim.confidence, surerConfidence),
    reason: `${claim.reason}; judge ${version} agrees (${p.toFixed(2)})`,
  }
}

const types: Record<Unit["type"], MemoryType> = {
  fact: "fact",
  preference: "preference",
  prohibition: "negative",
  procedure: "procedure",
  decision: "fact",
  correction: "correction",
}
type Alone = Exclude<keyof UserTurnClaims, "byRules">
const confidences: Record<Alone, number> = { sure: 0.75, tentative: 0.6 }

function claimOf({ version }: Judgement, { text, position, type, p }: Unit, how: Alone): Claim {
  const { triggers, ...kind } = withInferredType({
    content: contentOf(text),
    type: types[type],
    triggers: [],
  })
  return {
    ...kind,
    source: "extracted",
    confidence: confidences[how],
    from: position,
    to: position,
    reason: `judge ${version}: ${type} (${p.toFixed(2)})`,
    quarantined: how === "tentative",
    isOwnWords: true,
    ...(triggers.length > 0 ? { triggers } : {}),
  }
}

function contentOf(text: string): string {
  const statement = withoutTrail(withoutLeadIn(text))
  return isEnglish(statement) ? inThirdPerson(statement) : asSentence(statement)
}
