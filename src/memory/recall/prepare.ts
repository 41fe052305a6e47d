import { messageOf } from "../../base/errors.ts"
import { newId, type Random } from "../../base/random.ts"
import { appendEntry, type NewEntry } from "../../storage/journal.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { screened } from "./brief.ts"
import type { Briefs } from "./briefs.ts"
import { focusOn, focusOnError, focusOnWork } from "./focus.ts"
import { closeGap, isWorthAsking, noteGap } from "./gaps.ts"
import type { LiveSession, LiveSessions } from "./live-sessions.ts"
import { type LookCase, type Looked, type LookNeeds, lookByGate, lookByJudge, mayAskJudge } from "./look.ts"
import type { Occasion } from "./occasion.ts"
import { findPlace, isOn, type RecallPlace } from "./place.ts"
import { packVector, type RecallState, unpackVector } from "./state.ts"
import { isTopicChange, topicWindow } from "./topic.ts"
import { tidyUp } from "./upkeep.ts"

export interface PrepareNeeds extends LookNeeds {
  random: Random
  install: string
  sessions: LiveSessions
  briefs: Briefs
  /** Aborts when recall stops. */
  signal: AbortSignal
}

/** Prompts are kept to know what the talk is about; more of one than this is not needed for that. */
const longestPrompt = 1000
/** What waits to be brought up: so many times what is brought up at once. */
const waitingFactor = 2

/** Looks at memory for the prompts that were heard, and prepares what is brought up next. */
export async function prepareForPrompt(
  needs: PrepareNeeds,
  live: LiveSession,
  onReady: () => void,
): Promise<void> {
  const place = await enter(needs, live)
  const heard = live.heard.splice(0)
  const texts = (await Promise.all(heard.map((text) => screened(needs.screen, text, place.root)))).flatMap(
    (text) => text ?? [],
  )
  const text = texts.at(-1)
  if (!isOn(place)) return forgetPrepared(needs, live)
  if (text === undefined) return
  const { state } = live
  const isFirst = state.looks === 0
  const vector = state.prompts.length === 0 ? undefined : await embed(needs, text)
  const isNew = isTopicChange(topicOf(needs, state), text, vector)
  if (isNew) turnAway(needs, live)
  noteSaid(needs, state, texts, vector)
  const given = {
    query: focusOn(text, state.prompts.slice(0, -1)),
    request: text,
    ...caseOf(needs, live, place),
  }
  const isDue = isNew || state.judgedAt === null || state.turns - state.judgedAt >= judgeEvery(place)
  const lookedFor = { occasion: "prompt" as const, question: text }
  // Whoever waits for the first prompt's memories cannot wait for a model.
  const gated = isFirst || !isDue ? await lookByGate(needs, given) : undefined
  const kept = gated && keepLooked(needs, live, gated, lookedFor)
  onReady()
  await kept
  if (isDue && (await mayAskJudge(needs, place))) {
    state.judgedAt = state.turns
    const replaces = gated && state.looks
    await keepLooked(needs, live, await lookByJudge(needs, given), { ...lookedFor, replaces })
  } else if (gated === undefined) await keepLooked(needs, live, await lookByGate(needs, given), lookedFor)
  if (vector === undefined) noteVector(needs, state, await embed(needs, text))
}

/** Looks at memory because of what the agent does. */
export async function prepareForWork(
  needs: PrepareNeeds,
  live: LiveSession,
  occasion: Exclude<Occasion, "prompt">,
  fresh: string,
): Promise<void> {
  const place = await enter(needs, live)
  const text = await screened(needs.screen, fresh, place.root)
  if (!isOn(place) || text === undefined) return
  const query = occasion === "failure" ? focusOnError(text) : focusOnWork(text, live.state.prompts.at(-1))
  if (query.trim() === "") return
  const looked = await lookByGate(needs, { query, request: query, ...caseOf(needs, live, place) })
  await keepLooked(needs, live, looked, { occasion })
}

async function enter(needs: PrepareNeeds, live: LiveSession): Promise<RecallPlace> {
  const place = await findPlace(needs, live.session.project)
  live.place = place
  // The words that bring memories up by themselves are known from now on.
  await needs.briefs.prepared(place)
  return place
}

function caseOf(
  { signal }: PrepareNeeds,
  { session, state }: LiveSession,
  place: RecallPlace,
): Pick<LookCase, "session" | "place" | "state" | "signal"> {
  return { session, place, state, signal }
}

function judgeEvery({ config }: RecallPlace): number {
  return config.recall.judge_every_turns
}

/** What is prepared must not outlive the wish to have it. */
function forgetPrepared(needs: PrepareNeeds, live: LiveSession): void {
  if (live.state.prepared.length === 0) return
  live.state.prepared = []
  needs.sessions.save(live)
}

function topicOf({ embedder }: PrepareNeeds, state: RecallState) {
  const { prompts, vectors, model, wasAsked } = state
  const isOurs = embedder !== undefined && model === embedder.model
  return { texts: prompts, vectors: isOurs ? vectors.map(unpackVector) : [], wasAsked }
}

/** The talk has turned: what waits belongs to what was talked about before, and everything may come up anew. */
function turnAway(needs: PrepareNeeds, live: LiveSession): void {
  const { state } = live
  const dropped = state.prepared.map(({ id }) => id)
  if (dropped.length > 0)
    needs.log.info("Prepared memories were dropped: the subject changed", {
      session: live.session.id,
      memories: dropped.join(" "),
    })
  const entry = entryOf(needs, live, "recall.reset", { reason: "topic", dropped })
  Object.assign(state, { surfaced: [], sinceReset: 0, prepared: [], prompts: [], vectors: [] })
  needs.sessions.save(live, (transaction) => appendEntry(transaction, entry))
}

function noteSaid(
  needs: PrepareNeeds,
  state: RecallState,
  texts: readonly string[],
  vector: Float32Array | undefined,
): void {
  const said = texts.map((text) => text.slice(0, longestPrompt))
  state.prompts = [...state.prompts, ...said].slice(-topicWindow)
  state.wasAsked = false
  noteVector(needs, state, vector)
}

function noteVector({ embedder }: PrepareNeeds, state: RecallState, vector: Float32Array | undefined): void {
  if (vector === undefined || embedder === undefined) return
  const known = state.model === embedder.model ? state.vectors : []
  state.vectors = [...known, packVector(vector)].slice(-topicWindow)
  state.model = embedder.model
}

async function embed({ embedder, log }: PrepareNeeds, text: string): Promise<Float32Array | undefined> {
  try {
    const [embedded] = (await embedder?.embed([text.slice(0, longestPrompt)], { urgent: true })) ?? []
    return embedded?.vector
  } catch (error) {
    log.warn("What is talked about is known by words only", { reason: messageOf(error) })
    return undefined
  }
}

/** What a look was for. */
interface LookedFor {
  occasion: Occasion
  question?: string
  /** The number of a look that this one is the better answer to. */
  replaces?: number | undefined
}

/** Puts what a look chose before what still waits, keeps the state, and tidies up after the look. */
async function keepLooked(
  needs: PrepareNeeds,
  live: LiveSession,
  looked: Looked,
  { occasion, question, replaces }: LookedFor,
): Promise<void> {
  const { state } = live
  state.looks += 1
  const chosen = looked.chosen.filter(({ id }) => !state.surfaced.includes(id))
  const rest = state.prepared.filter(
    ({ id, look }) => look !== replaces && !chosen.some((one) => one.id === id),
  )
  const most = waitingFactor * (live.place?.config.recall.max_memories ?? 1)
  state.prepared = [...chosen, ...rest].slice(0, most)
  const { chosen: _, relevant, irrelevant, ...how } = looked
  const entry = entryOf(needs, live, "recall.prepared", {
    occasion,
    ...how,
    chosen: chosen.map(({ id }) => id),
    irrelevant,
  })
  needs.sessions.save(live, async (transaction) => {
    if (chosen.length > 0 || irrelevant.length > 0) await appendEntry(transaction, entry)
    if (question !== undefined) await tendGap(needs, live, looked, question, transaction)
  })
  const findings = { relevant, irrelevant, judged: looked.decidedBy === "judge" }
  await tidyUp(needs, findings, { operation: entry.operation, actor: entry.actor }).catch((error) =>
    needs.log.warn("Upkeep after a look failed", { reason: messageOf(error) }),
  )
}

async function tendGap(
  needs: PrepareNeeds,
  { session, place }: LiveSession,
  { isGap, chosen }: Looked,
  question: string,
  transaction: Transaction,
): Promise<void> {
  if (!isWorthAsking(question)) return
  const at = needs.clock.now()
  const by = { operation: newId(needs.random, "op"), actor: "recall" }
  const project = place?.projects[0] ?? null
  const [best] = chosen
  if (best) await closeGap(transaction, { project, question, memory: best.id, at }, by)
  else if (isGap)
    await noteGap(transaction, { install: needs.install, project, question, session: session.id, at }, by)
}

/** A journal entry of what recall did for a session. */
export function entryOf(
  { random, clock }: Pick<PrepareNeeds, "random" | "clock">,
  { session }: LiveSession,
  kind: NewEntry["kind"],
  data: object,
): NewEntry {
  const operation = newId(random, "op")
  return { operation, actor: "recall", at: clock.now(), kind, subject: session.id, data }
}
