import { messageOf } from "../../base/errors.ts"
import {
  around,
  type Judgement,
  judgementOf,
  type SentenceInContext,
  type TaughtType,
  taughtTypes,
} from "../../judgement/judgement.ts"
import { languageOf, tracesOf } from "../../language/compare/other-languages.ts"
import { type Term, termsOf } from "../../language/terms.ts"
import { unitsOf } from "../../language/units.ts"
import type { Turn } from "../../sessions/turn.ts"
import type { MemoryType } from "../model/kinds.ts"
import type { MemoryCore } from "../model/memory-core.ts"
import type { Claim } from "./claim.ts"
import { withKind } from "./infer-kind.ts"
import { ownWords } from "./own-words/own-words.ts"
import { leftOut } from "./own-words/quotations.ts"
import { isSteering } from "./own-words/steering.ts"
import { withoutLeadIn, withoutTrail } from "./rules/read/lead-in.ts"
import { isDangling } from "./rules/read/reference.ts"
import { isForAnyAgent } from "./rules/read/silence.ts"
import { inThirdPerson, sentence } from "./rules/read/third-person.ts"
import { readTurns } from "./rules/read-turns.ts"
import { takesBack } from "./rules/taking-back.ts"

/** What the person's own words in some turns tell. */
interface Heard {
  /** What rules find: it holds at once. */
  told: Claim[]
  /** What the trained model is sure of: it holds at once where no model reads. */
  sure: Claim[]
  /** What else the trained model proposes: it waits until it is borne out. */
  supposed: Claim[]
}

/** No message makes more than this be supposed. */
const mostOfOne = 5
/** So many sentences of a message are looked at. */
const mostUnits = 60
const shortest = 10
const longest = 400

/**
 * Reads the person's own words by rules, and has the trained model look at each sentence. What both say is surer for it;
 * what it says alone is only supposed, unless it is quite sure. Without it, or where it fails, rules alone read.
 */
export async function hearTurns(
  { embedder, log }: Pick<MemoryCore, "embedder" | "log">,
  turns: readonly Turn[],
  from: number,
): Promise<Heard> {
  const told = readTurns(turns, from)
  const judgement = judgementOf(embedder)
  if (judgement === undefined) return { told, sure: [], supposed: [] }
  try {
    return join(judgement, told, await teachingUnits(judgement, turns, from))
  } catch (error) {
    log.warn("The trained model could not read; rules read alone", { reason: messageOf(error) })
    return { told, sure: [], supposed: [] }
  }
}

/** A sentence of the person's, and what the trained model says of it. */
interface Unit extends SentenceInContext {
  position: number
  /** How sure it is that the sentence teaches anything. */
  p: number
  type: Exclude<TaughtType, "nothing">
}

async function teachingUnits(judgement: Judgement, turns: readonly Turn[], from: number): Promise<Unit[]> {
  const asked = turns.flatMap((turn, index) =>
    turn.role === "user" && turn.position >= from && !isTakenBack(turns, index) ? unitsIn(turn) : [],
  )
  if (asked.length === 0) return []
  const said = await judgement.teaches(asked)
  return asked.flatMap((unit, index): Unit[] => {
    const each = said[index]
    return each ? [{ ...unit, p: 1 - each.nothing, type: mostLikely(each) }] : []
  })
}

/** Whether the person's next words take a turn back. */
function isTakenBack(turns: readonly Turn[], index: number): boolean {
  const next = turns.slice(index + 1).find(({ role }) => role === "user")
  return next !== undefined && takesBack(next.text)
}

/** The sentences of a turn that could teach something, each with what stands around it. */
function unitsIn({ text, position }: Turn): (SentenceInContext & { position: number })[] {
  const units = unitsOf(ownWords(text)).slice(0, mostUnits)
  const last = units.findLastIndex((unit) => takesBack(withoutLeadIn(unit)))
  return units.flatMap((unit, at) =>
    at > last && mayTeach(unit) ? [{ ...around(units, at), position }] : [],
  )
}

function mayTeach(unit: string): boolean {
  if (unit.length < shortest || unit.length > longest || unit.endsWith("?")) return false
  return !unit.includes(leftOut) && !isSteering(unit) && !isForAnyAgent(unit)
}

function mostLikely(said: Record<TaughtType, number>): Unit["type"] {
  const [best = "fact"] = taughtTypes.filter(isType).sort((a, b) => said[b] - said[a])
  return best
}

function isType(type: TaughtType): type is Unit["type"] {
  return type !== "nothing"
}

function join(judgement: Judgement, told: readonly Claim[], units: readonly Unit[]): Heard {
  const { sure, pending, once } = judgement.thresholds.teaches
  const covers = (claim: Claim, unit: Unit) => claim.to === unit.position && isAbout(claim.content, unit.text)
  const agreed = told.map((claim) => {
    const unit = units.find((one) => one.p >= sure && covers(claim, one))
    return unit ? surer(claim, judgement, unit) : claim
  })
  const alone = units.filter((unit) => unit.p >= pending && !told.some((claim) => covers(claim, unit)))
  const byTurn = [...Map.groupBy(alone, ({ position }) => position).values()]
  const heard = byTurn.flatMap((some) => {
    const best = new Set(some.toSorted((a, b) => b.p - a.p).slice(0, mostOfOne))
    return some.filter((unit) => best.has(unit))
  })
  // A sentence that does not say what it is about helps nobody later.
  const isSure = ({ text, p }: Unit) => p >= once && !isDangling(withoutLeadIn(text))
  const claims = (some: readonly Unit[], how: Alone) => some.map((unit) => claimOf(judgement, unit, how))
  return {
    told: agreed,
    sure: claims(heard.filter(isSure), "sure"),
    supposed: claims(
      heard.filter((unit) => !isSure(unit)),
      "supposed",
    ),
  }
}

function isEnglish(text: string): boolean {
  const traces = tracesOf(text)
  return languageOf(traces, traces) === "en"
}

/** Of the fewer telling words of two texts, this share in both makes them about the same. */
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
/** How the trained model says something by itself. */
type Alone = Exclude<keyof Heard, "told">
const confidences: Record<Alone, number> = { sure: 0.75, supposed: 0.6 }

function claimOf({ version }: Judgement, { text, position, type, p }: Unit, how: Alone): Claim {
  const { triggers, ...kind } = withKind({ content: contentOf(text), type: types[type], triggers: [] })
  return {
    ...kind,
    source: "extracted",
    confidence: confidences[how],
    from: position,
    to: position,
    reason: `judge ${version}: ${type} (${p.toFixed(2)})`,
    quarantined: how === "supposed",
    isOwnWords: true,
    ...(triggers.length > 0 ? { triggers } : {}),
  }
}

function contentOf(text: string): string {
  const told = withoutTrail(withoutLeadIn(text))
  return isEnglish(told) ? inThirdPerson(told) : sentence(told)
}
