import { messageOf } from "../../base/errors.ts"
import type { Models } from "../../llm/choice/models.ts"
import { type Hit, type RetrieveNeeds, retrieve } from "../../memory/find/retrieve.ts"
import type { SessionScope } from "../session/session-scope.ts"
import { type Prepared, type RecallState, toPrepared } from "../session/session-state.ts"
import { surfacedFrom } from "../show.ts"
import type { LeftOut, RecallSession } from "../types.ts"
import type { Breaker } from "./breaker.ts"
import { judge } from "./judge.ts"
import type { DeeperLook } from "./read-source.ts"

export interface LookNeeds extends RetrieveNeeds {
  /** Without them the gate decides alone. */
  models?: Models | undefined
  deeper?: DeeperLook | undefined
  breaker: Breaker
}

/** One look at memory for a session. */
export interface LookCase {
  session: RecallSession
  scope: SessionScope
  state: RecallState
  /** What memory is asked after: each only where those before it find nothing sure. */
  queries: readonly string[]
  /** The request as the judge reads it. */
  request: string
  signal: AbortSignal
}

/** What came of it. */
export interface Looked {
  /** The query that was asked in the end. */
  query: string
  chosen: Prepared[]
  /** The ids of what is about the same, chosen or not. */
  near: string[]
  /** Those chosen, and those a model called beside the point. */
  relevant: string[]
  irrelevant: string[]
  decidedBy: "judge" | "gate"
  confidence: number
  /** Whether memory holds nothing about it at all. */
  isGap: boolean
}

/** So many candidates a judge gets at least, where there are as many. */
const judgedCandidates = 50
/** So many of the best count as being about the same. */
const nearCandidates = 15
/** What was surfaced takes room in the list; so many more are asked for at most. */
const mostExtra = 50

/** Lets the calibrated gate decide what is worth bringing up. */
export async function lookByGate(needs: LookNeeds, given: LookCase): Promise<Looked> {
  const { query, hits, confidence, abstained } = await findSure(needs, given, nearCandidates)
  const fresh = hits.filter((hit) => hit.sure && whyNot(given, hit) === undefined)
  const chosen = prepareHits(given, fresh)
  return {
    query,
    chosen,
    near: hits.map(({ memory }) => memory.id),
    relevant: chosen.map(({ id }) => id),
    irrelevant: [],
    decidedBy: "gate",
    confidence,
    isGap: abstained,
  }
}

/** Whether a model can be asked now. */
export async function mayAskJudge(
  { models, breaker }: LookNeeds,
  { config }: SessionScope,
): Promise<boolean> {
  if (models === undefined || !config.recall.judge || config.models.provider === "none" || breaker.isOpen())
    return false
  return (await models.choose("judge")).chosen !== null
}

/** Lets a model decide; where it fails, the gate does. */
export async function lookByJudge(needs: LookNeeds, given: LookCase): Promise<Looked> {
  const { models, breaker, log } = needs
  if (models === undefined) return lookByGate(needs, given)
  const query = lastOf(given)
  const { hits, confidence } = await find(needs, given, query, judgedCandidates)
  const near = hits.slice(0, nearCandidates).map(({ memory }) => memory.id)
  const fresh = hits.filter((hit) => whyNot(given, hit) === undefined)
  if (fresh.length === 0) return { ...nothing, query, near, confidence, isGap: hits.length === 0 }
  const { scope, request, state, signal } = given
  const verdict = await judge(
    { models, deeper: needs.deeper },
    {
      request,
      before: state.prompts.slice(0, -1),
      candidates: fresh.map(({ memory }) => memory),
      most: scope.config.recall.max_memories,
      projects: scope.projects,
      signal,
    },
  ).catch((error) => ({ outcome: "failed" as const, reason: messageOf(error) }))
  if (verdict.outcome === "failed") {
    breaker.failed()
    log.warn("The judge failed; the gate decides", { session: given.session.id, reason: verdict.reason })
    return lookByGate(needs, given)
  }
  breaker.worked()
  // What names the words that bring it up does not wait for a verdict.
  const wanted = fresh.filter(({ memory, via }) => verdict.relevant.includes(memory.id) || isTriggered(via))
  return {
    query,
    chosen: prepareHits(given, wanted),
    near,
    relevant: verdict.relevant,
    irrelevant: verdict.irrelevant,
    decidedBy: "judge",
    confidence,
    // What was shown before may have been the answer.
    isGap: wanted.length === 0 && fresh.length === hits.length,
  }
}

const nothing = { chosen: [], relevant: [], irrelevant: [], decidedBy: "judge" as const }

function isTriggered(via: readonly string[]): boolean {
  return via.some((step) => step.startsWith("trigger "))
}

/** Asks the first query that finds something sure, or else the last. */
async function findSure(needs: LookNeeds, given: LookCase, wanted: number) {
  for (const query of given.queries.slice(0, -1)) {
    const found = await find(needs, given, query, wanted)
    if (found.hits.some(({ sure }) => sure)) return found
  }
  return find(needs, given, lastOf(given), wanted)
}

/** The query that says most of what is talked about. */
function lastOf({ queries }: LookCase): string {
  return queries.at(-1) ?? ""
}

async function find(needs: LookNeeds, { session, state }: LookCase, query: string, wanted: number) {
  const limit = wanted + Math.min(state.surfaced.length, mostExtra)
  const asked = { query, limit, gate: false, isUnasked: true, project: session.project, session: session.id }
  return { query, ...(await retrieve(needs, asked)) }
}

/** Why a memory that was found is not brought up; undefined if nothing speaks against it. */
function whyNot({ session, state }: LookCase, { memory }: Hit): string | undefined {
  if (state.surfaced.includes(memory.id)) return "it was brought up before"
  if (memory.sessionId === session.id && !state.wasShortened) return "it was said in this session"
  return undefined
}

function prepareHits({ scope, state }: LookCase, hits: readonly Hit[]): Prepared[] {
  const most = hits.slice(0, scope.config.recall.max_memories)
  return most.map(({ memory, score, via }) => toPrepared(memory, score, via, state.looks + 1))
}

const shownLeftOut = 10

interface Explained extends Pick<Looked, "query" | "chosen" | "confidence"> {
  leftOut: LeftOut[]
  reason?: string | undefined
}

/** What the gate brings up for a prompt, and why not the rest. */
export async function explain(needs: LookNeeds, given: LookCase): Promise<Explained> {
  const { query, chosen, confidence } = await lookByGate(needs, given)
  const { hits, reason } = await find(needs, given, query, shownLeftOut)
  const ids = new Set(chosen.map(({ id }) => id))
  const others = hits.filter(({ memory }) => !ids.has(memory.id)).slice(0, shownLeftOut)
  const leftOut = others.map((hit): LeftOut => {
    const shown = surfacedFrom(hit.memory, hit.memory.content, hit.score, hit.via)
    return { ...shown, reason: whyNot(given, hit) ?? "it is not likely enough to matter" }
  })
  return { query, chosen, leftOut, confidence, reason }
}
