import { stripFenced } from "../llm/fence.ts"
import { createCore, type RecallCore, type RecallInput, settled, waitAtMost } from "./core.ts"
import { noActivity } from "./occasion.ts"
import { preview } from "./preview.ts"
import { countPrompt, searchForPrompt } from "./search-for-prompt.ts"
import type { LiveSession } from "./session/live-sessions.ts"
import { refreshOnChange } from "./session/refresh-on-change.ts"
import { findScope, isOn } from "./session/session-scope.ts"
import { deleteOldStates } from "./session/session-store.ts"
import { start } from "./start.ts"
import { surface } from "./surface.ts"
import {
  nothingSurfaced,
  type Recall,
  type RecallSession,
  type SessionEvent,
  type Surfaced,
} from "./types.ts"
import { onAgentWork } from "./work.ts"

/** States of sessions are deleted after this time without use. */
const unusedMs = 90 * 86_400_000

/** Opens recall for any number of sessions. */
export function openRecall(input: RecallInput): Recall {
  const stopping = new AbortController()
  const core = createCore(input, stopping.signal)
  let stopRefreshing: (() => void) | undefined
  /** Whether recall is on. From the first session on, it refreshes the briefs after each change of memory. */
  function isReady(): boolean {
    if (!isOn(input) || stopping.signal.aborted) return false
    stopRefreshing ??= refreshOnChange(input, () => core.background.run(core.briefs.refreshAll()))
    return true
  }
  return {
    start: async (session, how = "anew") => (isReady() ? start(core, session, how) : nothingSurfaced),
    turn: async (session, happening) =>
      isReady() ? onEvent(core, session, happening, true) : nothingSurfaced,
    async observe(session, happening) {
      if (isReady()) await onEvent(core, session, happening, false)
    },
    async end(session) {
      if (!stopping.signal.aborted) core.background.run(end(core, await core.sessions.open(session)))
    },
    preview: (session, text) => preview(core, session, text),
    settled: () => settled(core),
    async close() {
      stopping.abort(new Error("recall stops"))
      stopRefreshing?.()
      await settled(core)
    },
  }
}

async function onEvent(
  core: RecallCore,
  session: RecallSession,
  happening: SessionEvent,
  isShown: boolean,
): Promise<Surfaced> {
  const live = await core.sessions.open(session)
  const text = stripFenced(happening.text)
  if (happening.kind === "prompt") return onPrompt(core, live, text, isShown)
  return onAgentWork(core, live, { ...happening, text }, isShown)
}

/** A prompt gets what its own search finds in time, and what was prepared before. */
async function onPrompt(
  core: RecallCore,
  live: LiveSession,
  text: string,
  isShown: boolean,
): Promise<Surfaced> {
  const isKnown = isSeen(live, text, isShown)
  if (!isKnown || isShown)
    live.seenPrompts = [...live.seenPrompts, { text, wasShown: isShown }].slice(-promptsKnown)
  const ready = isKnown || text.trim() === "" ? core.searches.idle(live.session.id) : search(core, live, text)
  if (!isShown) return nothingSurfaced
  await waitAtMost(core, live, ready)
  return surface(core, live, text)
}

/** A hook and a transcript may report the same prompt: the latest ones are remembered. */
const promptsKnown = 4
/** Characters that are compared: a transcript may cut a long prompt. */
const comparedLength = 300

/** A transcript may report any of the last prompts late; a hook only the one that was just read. */
function isSeen({ seenPrompts }: LiveSession, text: string, isShown: boolean): boolean {
  const last = seenPrompts.at(-1)
  const others = isShown ? (last && !last.wasShown ? [last] : []) : seenPrompts
  return others.some((one) => beginning(one.text) === beginning(text))
}

function beginning(text: string): string {
  return text
    .slice(0, 2 * comparedLength)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, comparedLength)
}

function search(core: RecallCore, live: LiveSession, text: string): Promise<void> {
  countPrompt(core, live)
  live.newPrompts.push(text)
  live.activity = { ...noActivity, fileKind: live.activity.fileKind }
  const ready = Promise.withResolvers<void>()
  const done = core.searches.add(live.session.id, () => searchForPrompt(core, live, ready.resolve))
  return Promise.race([ready.promise, done])
}

async function end(core: RecallCore, live: LiveSession): Promise<void> {
  const { id, project } = live.session
  for (const queue of [core.searches, core.workSearches, core.judging]) await queue.idle(id)
  await core.briefs.refresh(live.scope ?? (await findScope(core, project)))
  await live.writing.run(async () => core.sessions.leave(live))
  await deleteOldStates(core, core.clock.now() - unusedMs)
}
