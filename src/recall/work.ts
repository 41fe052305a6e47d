import { screened } from "./brief/brief.ts"
import { queryForError, queryForWork } from "./build-queries.ts"
import { chooseByGate } from "./choose/choose-memories.ts"
import { saveResult } from "./choose/prepare-memories.ts"
import { type RecallCore, settingsOf, waitAtMost } from "./core.ts"
import { addActivity, noActivity, type WorkOccasion } from "./occasion.ts"
import { enter, recallQuery } from "./search-for-prompt.ts"
import type { LiveSession } from "./session/live-sessions.ts"
import { isOn } from "./session/session-scope.ts"
import { findTriggered, surface, surfaceWarnings } from "./surface.ts"
import { nothingSurfaced, type SessionEvent, type Surfaced } from "./types.ts"

type Work = Exclude<SessionEvent, { kind: "prompt" }>

/** Handles an agent's work: records its output, answers a tool call with what is prepared, and warns before a call. */
export async function onAgentWork(
  core: RecallCore,
  live: LiveSession,
  work: Work,
  isShown: boolean,
): Promise<Surfaced> {
  if (work.kind === "call") return isShown ? warnBeforeCall(core, live, work.text) : nothingSurfaced
  if (work.kind === "output") {
    if (isRepeated(live, work.text)) return nothingSurfaced
    live.state.wasAsked = /\?["')\s]*$/.test(work.text.slice(-300))
    prepareWatched(core, live, work.text)
  }
  const { activity, occasion } = addActivity(live.activity, work, settingsOf(core, live).look_again_tokens)
  live.activity = activity
  if (occasion !== undefined) searchLater(core, live, occasion, work.text)
  return isShown && work.kind === "tool" ? surface(core, live, work.input) : nothingSurfaced
}

/** A hook and a transcript may report the same output: the latest ones are remembered. */
const outputsKnown = 4

function isRepeated(live: LiveSession, text: string): boolean {
  const isKnown = live.seenOutputs.includes(text)
  if (!isKnown) live.seenOutputs = [...live.seenOutputs, text].slice(-outputsKnown)
  return isKnown
}

/** The prohibitions that a tool call is about to break, each once. */
async function warnBeforeCall(core: RecallCore, live: LiveSession, text: string): Promise<Surfaced> {
  if (!settingsOf(core, live).hold_tool_calls) return nothingSurfaced
  if (live.scope === undefined) await waitAtMost(core, live, enter(core, live))
  return surfaceWarnings(core, live, text)
}

/** Prepares the memories that an agent's output triggers, for its next tool call or the next prompt. */
function prepareWatched(core: RecallCore, live: LiveSession, text: string): void {
  const { state } = live
  const waiting = new Set([...state.surfaced, ...state.prepared.map(({ id }) => id)])
  const watched = findTriggered(core, live, text).filter(({ id }) => !waiting.has(id))
  if (watched.length === 0) return
  state.prepared = [...watched, ...state.prepared]
  core.sessions.save(live)
}

function searchLater(core: RecallCore, live: LiveSession, occasion: WorkOccasion, text: string): void {
  const fresh = occasion === "failure" ? text : live.activity.text
  live.activity = { ...noActivity, fileKind: live.activity.fileKind }
  void core.workSearches.add(live.session.id, () => searchForWork(core, live, occasion, fresh))
}

async function searchForWork(
  core: RecallCore,
  live: LiveSession,
  occasion: WorkOccasion,
  fresh: string,
): Promise<void> {
  const scope = await enter(core, live)
  const text = await screened(core.screen, fresh, scope.root)
  if (!isOn(scope) || text === undefined) return
  const query = occasion === "failure" ? queryForError(text) : queryForWork(text, live.state.prompts.at(-1))
  if (query.trim() === "") return
  const { topicNumber } = live
  const result = await chooseByGate(
    core.unhurried,
    recallQuery(core, live, scope, { queries: [query], request: query }),
  )
  if (live.topicNumber === topicNumber) await saveResult(core, live, result, { occasion })
}
