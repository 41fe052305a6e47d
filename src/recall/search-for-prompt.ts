import { sleep } from "../base/clock.ts"
import { appendEntry } from "../storage/journal.ts"
import { screened } from "./brief/brief.ts"
import { type LookCase, type Looked, lookByGate, lookByJudge, mayAskJudge } from "./choose/choose-memories.ts"
import { entryOf, keepLooked, noteAnswer } from "./choose/prepare-memories.ts"
import { type RecallCore, settingsOf } from "./core.ts"
import { focusOn, tellingWords } from "./focus.ts"
import { enter } from "./session/enter.ts"
import type { LiveSession } from "./session/live-sessions.ts"
import { isOn, type SessionScope } from "./session/session-scope.ts"
import type { Prepared } from "./session/session-state.ts"
import { embedPrompt, noteSaid, topicOf } from "./subject.ts"
import { isTopicChange } from "./topic.ts"

/** A prompt with fewer telling words, such as "go on", has no subject of its own. */
const fewestWords = 2

/**
 * Searches memory for the prompts that were heard. What is sure waits to be given from `onReady` on. A model that judges
 * is asked afterwards: its answer comes with a later prompt, or with the agent's next tool call.
 */
export async function searchForPrompt(
  whole: RecallCore,
  live: LiveSession,
  onReady: () => void,
): Promise<void> {
  const core = await withReadyEmbedder(whole, live)
  const scope = await enter(core, live)
  const heard = live.heard.splice(0)
  const each = await Promise.all(heard.map((text) => screened(core.screen, text, scope.root)))
  const texts = each.flatMap((text) => text ?? [])
  const text = texts.at(-1)
  if (!isOn(scope)) return forgetPrepared(core, live)
  if (text === undefined) return
  const { state } = live
  const vector = await embedPrompt(core, text)
  const isNew = isTopicChange(topicOf(core, state), text, vector)
  if (isNew) turnAway(core, live)
  noteSaid(core, state, texts, vector)
  const queries = focusOn(text, state.prompts.slice(0, -1))
  if (queries.length === 0) {
    live.searchedTurn = state.turns
    return onReady()
  }
  const given = caseOf(core, live, scope, { queries, request: text })
  const looked = await lookByGate(core, given)
  if (tellingWords(text) >= fewestWords) dropWhatDoesNotFit(core, live, looked)
  const kept = keepLooked(core, live, looked, { occasion: "prompt" })
  live.searchedTurn = state.turns
  onReady()
  await kept
  const isDue = isNew || state.judgedAt === null || state.turns - state.judgedAt >= judgeEvery(scope)
  if (isDue && (await mayAskJudge(core, scope))) judgeLater(core, live, given)
  else noteAnswer(core, live, looked, text)
}

/**
 * Without the embedder where that still has to load its model and takes longer than the prompt can wait: what the words
 * find now is better than what meaning finds a prompt later.
 */
async function withReadyEmbedder(core: RecallCore, live: LiveSession): Promise<RecallCore> {
  const { embedder } = core
  const isReady = () => embedder === undefined || !["idle", "loading"].includes(embedder.status().state)
  if (isReady()) return core
  const loaded = embedPrompt(core, live.heard.at(-1) ?? "")
  await Promise.race([loaded, sleep(core.clock, settingsOf(core, live).wait_ms / 2)])
  return isReady() ? core : { ...core, embedder: undefined }
}

/** One look at memory for a session, with what is known of it now. */
export function caseOf(
  { signal }: RecallCore,
  { session, state }: LiveSession,
  scope: SessionScope,
  asked: Pick<LookCase, "queries" | "request">,
): LookCase {
  return { session, scope, state, signal, ...asked }
}

function judgeEvery({ config }: SessionScope): number {
  return config.recall.judge_every_turns
}

/** Asks a model in the background. What it says of a subject that was left meanwhile is not kept. */
function judgeLater(core: RecallCore, live: LiveSession, given: LookCase): void {
  const { state, subject } = live
  state.judgedAt = state.turns
  const replaces = state.looks
  void core.judging.ask(live.session.id, async () => {
    const looked = await lookByJudge({ ...core, ...core.patient }, given)
    noteAnswer(core, live, looked, given.request)
    if (live.subject !== subject) return tellDropped(core, live, looked.chosen)
    await keepLooked(core, live, looked, { occasion: "prompt", replaces })
  })
}

/** What waits from before is given with this prompt only if it is about the same: it is near what the search found. */
function dropWhatDoesNotFit(core: RecallCore, live: LiveSession, { near }: Looked): void {
  const { state } = live
  const fits = ({ id, via }: Prepared) => near.includes(id) || via.some((step) => step.startsWith("trigger"))
  tellDropped(
    core,
    live,
    state.prepared.filter((one) => !fits(one)),
  )
  state.prepared = state.prepared.filter(fits)
}

function tellDropped(
  { log }: RecallCore,
  { session }: LiveSession,
  dropped: readonly { id: string }[],
): void {
  if (dropped.length === 0) return
  const memories = dropped.map(({ id }) => id).join(" ")
  log.info("Prepared memories were dropped: the subject changed", { session: session.id, memories })
}

/** What is prepared must not outlive the wish to have it. */
function forgetPrepared(core: RecallCore, live: LiveSession): void {
  if (live.state.prepared.length === 0) return
  live.state.prepared = []
  core.sessions.save(live)
}

/**
 * The talk has turned: what waits belongs to what was talked about before, and everything may come up anew, except for
 * what this very prompt has shown already.
 */
function turnAway(core: RecallCore, live: LiveSession): void {
  const { state } = live
  tellDropped(core, live, state.prepared)
  const dropped = state.prepared.map(({ id }) => id)
  const entry = entryOf(core, live, "recall.reset", { reason: "topic", dropped })
  live.subject += 1
  Object.assign(state, {
    surfaced: [...live.shownNow],
    sinceReset: 0,
    prepared: [],
    prompts: [],
    vectors: [],
  })
  core.sessions.save(live, (transaction) => appendEntry(transaction, entry))
}

/** After so many prompts what was surfaced may come up again. */
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
