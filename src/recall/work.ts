import { screened } from "./brief/brief.ts"
import { lookByGate } from "./choose/choose-memories.ts"
import { keepLooked } from "./choose/prepare-memories.ts"
import { atMost, type RecallCore, settingsOf } from "./core.ts"
import { focusOnError, focusOnWork } from "./focus.ts"
import { give, giveWarnings } from "./give.ts"
import { noteWork, nothingUnread, type Occasion } from "./occasion.ts"
import { caseOf } from "./search-for-prompt.ts"
import { enter } from "./session/enter.ts"
import type { LiveSession } from "./session/live-sessions.ts"
import { isOn } from "./session/session-scope.ts"
import { type Happening, nothingSurfaced, type Surfaced } from "./types.ts"
import { watchedBy } from "./watched.ts"

type Work = Exclude<Happening, { kind: "prompt" }>
type WorkOccasion = Exclude<Occasion, "prompt">

/** What an agent does: its output is noted, a tool call gets what is prepared, a call to come its warnings. */
export async function worked(
  core: RecallCore,
  live: LiveSession,
  work: Work,
  isShown: boolean,
): Promise<Surfaced> {
  if (work.kind === "call") return isShown ? warned(core, live, work.text) : nothingSurfaced
  if (work.kind === "output") {
    if (isRepeated(live, work.text)) return nothingSurfaced
    live.state.wasAsked = /\?["')\s]*$/.test(work.text.slice(-300))
    prepareWatched(core, live, work.text)
  }
  const noted = noteWork(live.unread, work, settingsOf(core, live).look_again_tokens)
  live.unread = noted.unread
  if (noted.occasion && noted.occasion !== "prompt") lookAtWork(core, live, noted.occasion, work.text)
  return isShown && work.kind === "tool" ? give(core, live, work.input) : nothingSurfaced
}

/** So many of the latest outputs are known again: a hook and a transcript tell of the same one. */
const outputsKnown = 4

function isRepeated(live: LiveSession, text: string): boolean {
  const isKnown = live.outputs.includes(text)
  if (!isKnown) live.outputs = [...live.outputs, text].slice(-outputsKnown)
  return isKnown
}

/** Prohibitions whose words are in what an agent is about to do, each once: the agent is told before it does it. */
async function warned(core: RecallCore, live: LiveSession, text: string): Promise<Surfaced> {
  if (!settingsOf(core, live).hold_tool_calls) return nothingSurfaced
  if (live.scope === undefined) await atMost(core, live, enter(core, live))
  return giveWarnings(core, live, text)
}

/** What an agent wrote has words that bring memories up: they wait for its next tool call, or the next prompt. */
function prepareWatched(core: RecallCore, live: LiveSession, text: string): void {
  const { state } = live
  const waiting = new Set([...state.surfaced, ...state.prepared.map(({ id }) => id)])
  const watched = watchedBy(core, live, text).filter(({ id }) => !waiting.has(id))
  if (watched.length === 0) return
  state.prepared = [...watched, ...state.prepared]
  core.sessions.save(live)
}

function lookAtWork(core: RecallCore, live: LiveSession, occasion: WorkOccasion, text: string): void {
  const fresh = occasion === "failure" ? text : live.unread.text
  live.unread = { ...nothingUnread, fileKind: live.unread.fileKind }
  void core.looks.ask(live.session.id, () => searchForWork(core, live, occasion, fresh))
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
  const query = occasion === "failure" ? focusOnError(text) : focusOnWork(text, live.state.prompts.at(-1))
  if (query.trim() === "") return
  const { subject } = live
  const looked = await lookByGate(
    core.patient,
    caseOf(core, live, scope, { queries: [query], request: query }),
  )
  if (live.subject === subject) await keepLooked(core, live, looked, { occasion })
}
