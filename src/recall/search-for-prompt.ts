import { sleep } from "../base/clock.ts"
import { appendEntry } from "../storage/journal.ts"
import { screened } from "./brief/brief.ts"
import { countContentWords, queriesFor } from "./build-queries.ts"
import {
  canAskJudge,
  chooseByGate,
  chooseByJudge,
  type RecallQuery,
  type RecallResult,
} from "./choose/choose-memories.ts"
import { entryOf, recordGap, saveResult } from "./choose/prepare-memories.ts"
import { type RecallCore, settingsOf } from "./core.ts"
import type { LiveSession } from "./session/live-sessions.ts"
import { findScope, isOn, type SessionScope } from "./session/session-scope.ts"
import { isTriggered, type Prepared } from "./session/session-state.ts"
import { embedPrompt, recordPrompts, topicOf } from "./subject.ts"
import { isTopicChange } from "./topic.ts"

/** A prompt with fewer content words, such as "go on", has no topic of its own. */
const fewestWords = 2

/**
 * Searches memory for the new prompts. `onReady` is called when the sure results are prepared. The judge is asked after
 * that: its choice comes with a later prompt, or with the agent's next tool call.
 */
export async function searchForPrompt(
  whole: RecallCore,
  live: LiveSession,
  onReady: () => void,
): Promise<void> {
  const core = await withReadyEmbedder(whole, live)
  const scope = await enter(core, live)
  const prompts = live.newPrompts.splice(0)
  const each = await Promise.all(prompts.map((text) => screened(core.screen, text, scope.root)))
  const texts = each.flatMap((text) => text ?? [])
  const text = texts.at(-1)
  if (!isOn(scope)) return clearPrepared(core, live)
  if (text === undefined) return
  const { state } = live
  const vector = await embedPrompt(core, text)
  const isNew = isTopicChange(topicOf(core, state), text, vector)
  if (isNew) resetTopic(core, live)
  recordPrompts(core, state, texts, vector)
  const queries = queriesFor(text, state.prompts.slice(0, -1))
  if (queries.length === 0) {
    live.searchedTurn = state.turns
    return onReady()
  }
  const query = recallQuery(core, live, scope, { queries, request: text })
  const result = await chooseByGate(core, query)
  if (countContentWords(text) >= fewestWords) dropUnrelated(core, live, result)
  const saved = saveResult(core, live, result, { occasion: "prompt" })
  live.searchedTurn = state.turns
  onReady()
  await saved
  const { judge_every_turns: every } = scope.config.recall
  const isDue = isNew || state.judgedAt === null || state.turns - state.judgedAt >= every
  if (isDue && (await canAskJudge(core, scope))) judgeLater(core, live, query)
  else recordGap(core, live, result, text)
}

/**
 * Without the embedder if its model does not load in time: what the words find now is better than what the vectors find a
 * prompt later.
 */
async function withReadyEmbedder(core: RecallCore, live: LiveSession): Promise<RecallCore> {
  const { embedder } = core
  const isReady = () => embedder === undefined || !["idle", "loading"].includes(embedder.status().state)
  if (isReady()) return core
  const loaded = embedPrompt(core, live.newPrompts.at(-1) ?? "")
  await Promise.race([loaded, sleep(core.clock, settingsOf(core, live).wait_ms / 2)])
  return isReady() ? core : { ...core, embedder: undefined }
}

/** A search for a session with its current state. */
export function recallQuery(
  { signal }: RecallCore,
  { session, state }: LiveSession,
  scope: SessionScope,
  asked: Pick<RecallQuery, "queries" | "request">,
): RecallQuery {
  return { session, scope, state, signal, ...asked }
}

/** Finds a session's scope, and loads the brief with the triggers that apply there. */
export async function enter(core: RecallCore, live: LiveSession): Promise<SessionScope> {
  const scope = await findScope(core, live.session.project)
  live.scope = scope
  if ((await core.briefs.prepared(scope)) === undefined) core.background.run(core.briefs.refresh(scope))
  return scope
}

/** Asks the judge in the background. Drops its choice if the topic has changed meanwhile. */
function judgeLater(core: RecallCore, live: LiveSession, query: RecallQuery): void {
  const { state, topicNumber } = live
  state.judgedAt = state.turns
  const replaces = state.looks
  void core.judging.add(live.session.id, async () => {
    const result = await chooseByJudge({ ...core, ...core.unhurried }, query)
    recordGap(core, live, result, query.request)
    if (live.topicNumber !== topicNumber) return logDropped(core, live, result.chosen)
    await saveResult(core, live, result, { occasion: "prompt", replaces })
  })
}

/** Drops prepared memories that are not near what this prompt's search found, unless they were triggered. */
function dropUnrelated(core: RecallCore, live: LiveSession, { near }: RecallResult): void {
  const { state } = live
  const fits = ({ id, via }: Prepared) => near.includes(id) || isTriggered(via)
  logDropped(
    core,
    live,
    state.prepared.filter((one) => !fits(one)),
  )
  state.prepared = state.prepared.filter(fits)
}

function logDropped({ log }: RecallCore, { session }: LiveSession, dropped: readonly { id: string }[]): void {
  if (dropped.length === 0) return
  const memories = dropped.map(({ id }) => id).join(" ")
  log.info("Prepared memories were dropped: the topic changed", { session: session.id, memories })
}

function clearPrepared(core: RecallCore, live: LiveSession): void {
  if (live.state.prepared.length === 0) return
  live.state.prepared = []
  core.sessions.save(live)
}

/** The topic changed: drops what is prepared, and lets everything come up again except what this prompt has shown. */
function resetTopic(core: RecallCore, live: LiveSession): void {
  const { state } = live
  logDropped(core, live, state.prepared)
  const dropped = state.prepared.map(({ id }) => id)
  const entry = entryOf(core, live, "recall.reset", { reason: "topic", dropped })
  live.topicNumber += 1
  Object.assign(state, {
    surfaced: [...live.shownNow],
    sinceReset: 0,
    prepared: [],
    prompts: [],
    vectors: [],
  })
  core.sessions.save(live, (transaction) => appendEntry(transaction, entry))
}

/** Counts a prompt; after `recall.reset_turns` of them, everything may come up again. */
export function countPrompt(core: RecallCore, live: LiveSession): void {
  const { state } = live
  state.turns += 1
  state.sinceReset += 1
  live.shownNow = []
  if (state.sinceReset <= settingsOf(core, live).reset_turns) return
  Object.assign(state, { surfaced: [], sinceReset: 1 })
  const entry = entryOf(core, live, "recall.reset", { reason: "turns" })
  core.sessions.save(live, (transaction) => appendEntry(transaction, entry))
}
