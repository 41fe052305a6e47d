import { messageOf } from "../../base/errors.ts"
import type { Models } from "../../llm/choice/models.ts"
import { type Hit, retrieve } from "../../memory/find/retrieve.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"
import type { SessionScope } from "../session/session-scope.ts"
import { isTriggered, type Prepared, type RecallState, toPrepared } from "../session/session-state.ts"
import { surfacedFrom } from "../show.ts"
import type { RecallSession, SkippedMemory } from "../types.ts"
import type { Breaker } from "./breaker.ts"
import { judge } from "./judge.ts"
import type { SourceReader } from "./read-source.ts"

/** What choosing memories for a session takes. */
export interface ChoiceCore extends MemoryCore {
  /** Without models the gate decides alone. */
  models?: Models | undefined
  sourceReader?: SourceReader | undefined
  breaker: Breaker
}

/** One search for a session. */
export interface RecallQuery {
  session: RecallSession
  scope: SessionScope
  state: RecallState
  /** Each is searched for only if those before it find nothing sure. */
  queries: readonly string[]
  /** The request as the judge reads it. */
  request: string
  signal: AbortSignal
}

export interface RecallResult {
  /** The last query that was searched for. */
  query: string
  chosen: Prepared[]
  /** Ids of memories on the same topic, chosen or not. */
  near: string[]
  /** Those chosen, and those the judge called irrelevant. */
  relevant: string[]
  irrelevant: string[]
  decidedBy: "judge" | "gate"
  confidence: number
  /** Whether memory has nothing about it. */
  isGap: boolean
}

/** Candidates for the judge. */
const judgedCandidates = 50
/** This many of the best hits count as being on the same topic. */
const nearCandidates = 15
/** Memories that were surfaced take up places among the hits; at most this many more are fetched. */
const mostExtra = 50

/** Lets the calibrated gate choose. */
export async function chooseByGate(needs: ChoiceCore, search: RecallQuery): Promise<RecallResult> {
  const { query, hits, confidence, abstained } = await findSureHits(needs, search, nearCandidates)
  const fresh = hits.filter((hit) => hit.sure && reasonToSkip(search, hit) === undefined)
  const chosen = prepareHits(search, fresh)
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

/** Whether the judge can be asked now. */
export async function canAskJudge(
  { models, breaker }: ChoiceCore,
  { config }: SessionScope,
): Promise<boolean> {
  if (models === undefined || !config.recall.judge || config.models.provider === "none" || breaker.isOpen())
    return false
  return (await models.choose("judge")).chosen !== null
}

/** Lets the judge choose; if it fails, the gate does. */
export async function chooseByJudge(needs: ChoiceCore, search: RecallQuery): Promise<RecallResult> {
  const { models, breaker, log } = needs
  if (models === undefined) return chooseByGate(needs, search)
  const query = lastOf(search)
  const { hits, confidence } = await find(needs, search, query, judgedCandidates)
  const near = hits.slice(0, nearCandidates).map(({ memory }) => memory.id)
  const fresh = hits.filter((hit) => reasonToSkip(search, hit) === undefined)
  if (fresh.length === 0) return { ...nothing, query, near, confidence, isGap: hits.length === 0 }
  const { scope, request, state, signal } = search
  const verdict = await judge(models, {
    request,
    before: state.prompts.slice(0, -1),
    candidates: fresh.map(({ memory }) => memory),
    most: scope.config.recall.max_memories,
    projects: scope.projects,
    sourceReader: needs.sourceReader,
    signal,
  }).catch((error) => ({ outcome: "failed" as const, reason: messageOf(error) }))
  if (verdict.outcome === "failed") {
    breaker.failed()
    log.warn("The judge failed; the gate decides", { session: search.session.id, reason: verdict.reason })
    return chooseByGate(needs, search)
  }
  breaker.succeeded()
  // Triggered memories need no verdict.
  const wanted = fresh.filter(({ memory, via }) => verdict.relevant.includes(memory.id) || isTriggered(via))
  return {
    query,
    chosen: prepareHits(search, wanted),
    near,
    relevant: verdict.relevant,
    irrelevant: verdict.irrelevant,
    decidedBy: "judge",
    confidence,
    // A memory that was shown before may have been the answer.
    isGap: wanted.length === 0 && fresh.length === hits.length,
  }
}

const nothing = { chosen: [], relevant: [], irrelevant: [], decidedBy: "judge" as const }

/** The hits of the first query that finds something sure, or else of the last. */
async function findSureHits(needs: ChoiceCore, search: RecallQuery, wanted: number) {
  for (const query of search.queries.slice(0, -1)) {
    const found = await find(needs, search, query, wanted)
    if (found.hits.some(({ sure }) => sure)) return found
  }
  return find(needs, search, lastOf(search), wanted)
}

function lastOf({ queries }: RecallQuery): string {
  return queries.at(-1) ?? ""
}

async function find(needs: ChoiceCore, { session, state }: RecallQuery, query: string, wanted: number) {
  const limit = wanted + Math.min(state.surfaced.length, mostExtra)
  const asked = { query, limit, gate: false, isUnasked: true, project: session.project, session: session.id }
  return { query, ...(await retrieve(needs, asked)) }
}

/** Why a hit is not brought up; undefined if it may be. */
function reasonToSkip({ session, state }: RecallQuery, { memory }: Hit): string | undefined {
  if (state.surfaced.includes(memory.id)) return "it was brought up before"
  if (memory.sessionId === session.id && !state.wasShortened) return "it was said in this session"
  return undefined
}

function prepareHits({ scope, state }: RecallQuery, hits: readonly Hit[]): Prepared[] {
  const most = hits.slice(0, scope.config.recall.max_memories)
  return most.map(({ memory, score, via }) => toPrepared(memory, score, via, state.looks + 1))
}

const shownLeftOut = 10

/** What the gate chooses for a prompt, and why not the rest. */
export async function explainChoice(needs: ChoiceCore, search: RecallQuery) {
  const { query, chosen, confidence } = await chooseByGate(needs, search)
  const { hits, reason } = await find(needs, search, query, shownLeftOut)
  const ids = new Set(chosen.map(({ id }) => id))
  const others = hits.filter(({ memory }) => !ids.has(memory.id)).slice(0, shownLeftOut)
  const leftOut = others.map((hit): SkippedMemory => {
    const shown = surfacedFrom(hit.memory, hit.memory.content, hit.score, hit.via)
    return { ...shown, reason: reasonToSkip(search, hit) ?? "it is not likely enough to matter" }
  })
  return { query, chosen, leftOut, confidence, reason }
}
