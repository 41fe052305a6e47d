import { stripFenced } from "../llm/fence.ts"
import { atMost, createCore, type RecallCore, type RecallNeeds, settled } from "./core.ts"
import { give } from "./give.ts"
import { nothingUnread } from "./occasion.ts"
import { preview } from "./preview.ts"
import { countPrompt, searchForPrompt } from "./search-for-prompt.ts"
import { refreshOnChange } from "./session/background.ts"
import type { LiveSession } from "./session/live-sessions.ts"
import { findScope, isOn } from "./session/session-scope.ts"
import { forgetOldStates } from "./session/session-store.ts"
import { start } from "./start.ts"
import { type Happening, nothingSurfaced, type Recall, type RecallSession, type Surfaced } from "./types.ts"
import { worked } from "./work.ts"

/** A session that nobody touched for so long begins anew. */
const forgottenAfterMs = 90 * 86_400_000

/** Opens recall for any number of sessions. */
export function openRecall(given: RecallNeeds): Recall {
  const stopping = new AbortController()
  const core = createCore(given, stopping.signal)
  let stopRefreshing: (() => void) | undefined
  /** Whether anything may be brought up; from the first session on, briefs follow what is remembered. */
  function isReady(): boolean {
    if (!isOn(given) || stopping.signal.aborted) return false
    stopRefreshing ??= refreshOnChange(given, () => core.background.run(core.briefs.refreshAll()))
    return true
  }
  return {
    start: async (session, how = "anew") => (isReady() ? start(core, session, how) : nothingSurfaced),
    turn: async (session, happening) =>
      isReady() ? happened(core, session, happening, true) : nothingSurfaced,
    async observe(session, happening) {
      if (isReady()) await happened(core, session, happening, false)
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

async function happened(
  core: RecallCore,
  session: RecallSession,
  happening: Happening,
  isShown: boolean,
): Promise<Surfaced> {
  const live = await core.sessions.open(session)
  const text = stripFenced(happening.text)
  if (happening.kind === "prompt") return prompted(core, live, text, isShown)
  return worked(core, live, { ...happening, text }, isShown)
}

/** A prompt gets what its own search finds in time, and what was found for it before. */
async function prompted(
  core: RecallCore,
  live: LiveSession,
  text: string,
  isShown: boolean,
): Promise<Surfaced> {
  const isKnown = isToldAlready(live, text, isShown)
  if (!isKnown || isShown) live.told = [...live.told, { text, wasShown: isShown }].slice(-promptsKnown)
  const ready = isKnown || text.trim() === "" ? core.searches.idle(live.session.id) : search(core, live, text)
  if (!isShown) return nothingSurfaced
  await atMost(core, live, ready)
  return give(core, live, text)
}

/** So many of the latest prompts are known again: a hook and a transcript tell of the same one. */
const promptsKnown = 4
/** A transcript shortens a long prompt: its beginning tells. */
const toldBy = 300

/** A transcript may tell late of any of the last prompts; a hook only of the one that was just read. */
function isToldAlready({ told }: LiveSession, text: string, isShown: boolean): boolean {
  const last = told.at(-1)
  const others = isShown ? (last && !last.wasShown ? [last] : []) : told
  return others.some((one) => beginning(one.text) === beginning(text))
}

function beginning(text: string): string {
  return text
    .slice(0, 2 * toldBy)
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, toldBy)
}

function search(core: RecallCore, live: LiveSession, text: string): Promise<void> {
  countPrompt(core, live)
  live.heard.push(text)
  live.unread = { ...nothingUnread, fileKind: live.unread.fileKind }
  const ready = Promise.withResolvers<void>()
  const done = core.searches.ask(live.session.id, () => searchForPrompt(core, live, ready.resolve))
  return Promise.race([ready.promise, done])
}

async function end(core: RecallCore, live: LiveSession): Promise<void> {
  const { id, project } = live.session
  for (const queue of [core.searches, core.looks, core.judging]) await queue.idle(id)
  await core.briefs.refresh(live.scope ?? (await findScope(core, project)))
  await live.writing.run(async () => core.sessions.leave(live))
  await forgetOldStates(core, core.clock.now() - forgottenAfterMs)
}
