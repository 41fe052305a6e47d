import { isStale } from "./brief/brief.ts"
import { tellLearned } from "./brief/tell-learned.ts"
import { writeText } from "./brief/write-text.ts"
import { atMost, type RecallCore } from "./core.ts"
import { noteSurfaced } from "./give.ts"
import type { LiveSession } from "./session/live-sessions.ts"
import { findScope, isOn, type SessionScope } from "./session/session-scope.ts"
import { show } from "./show.ts"
import { nothingSurfaced, type RecallSession, type StartedHow, type Surfaced } from "./types.ts"

/** At the start of a session so many times as many memories are told as later at once. */
const startFactor = 2

/** Tells what a session should know from its first moment; one that was resumed only what is new since. */
export async function start(core: RecallCore, session: RecallSession, how: StartedHow): Promise<Surfaced> {
  const live = await core.sessions.open(session)
  const scope = await findScope(core, session.project)
  live.scope = scope
  if (!isOn(scope)) return nothingSurfaced
  if (how === "anew") forgetSurfaced(core, live)
  // A model that was put away is loaded by the time the first prompt comes.
  core.background.run(core.embedder?.embed([session.id], { urgent: true }))
  await freshBrief(core, live, scope)
  const brief = core.briefs.known(scope)
  if (brief === undefined) return nothingSurfaced
  const { max_memories, max_tokens } = scope.config.recall
  const { surfaced, wasShortened } = live.state
  const isNews = ({ id }: { id: string }) => !surfaced.includes(id)
  const standing = await show(
    core,
    scope.root,
    brief.memories.filter(isNews),
    ({ sessionId }) => wasShortened || sessionId !== session.id,
  )
  const learned = how === "resumed" ? [] : await tellLearned(core, session, scope)
  const { shown, text } = writeText(standing.slice(0, startFactor * max_memories), {
    maxTokens: max_tokens,
    more: how === "resumed" ? [] : [...learned, ...brief.recent],
  })
  noteSurfaced(core, live, shown, [])
  live.state.told = [...live.state.told, ...shown.map(({ id }) => id)]
  return { memories: shown, text }
}

/** A session that was there before has lost sight of what it was shown: its context was shortened or cleared. */
function forgetSurfaced(core: RecallCore, live: LiveSession): void {
  const { state } = live
  if (state.turns === 0 && state.surfaced.length === 0) return
  Object.assign(state, { surfaced: [], told: [], sinceReset: 0, wasShortened: true })
  core.sessions.save(live)
}

/** Brings the brief up to date, if that does not take longer than may be waited. */
async function freshBrief(core: RecallCore, live: LiveSession, scope: SessionScope): Promise<void> {
  const brief = await core.briefs.prepared(scope)
  if (brief && !(await isStale(core, brief))) return
  const refreshing = core.briefs.refresh(scope)
  core.background.run(refreshing)
  await atMost(core, live, refreshing)
}
