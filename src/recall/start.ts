import { isStale } from "./brief/brief.ts"
import { learnedLines } from "./brief/learned-lines.ts"
import { writeText } from "./brief/write-text.ts"
import { type RecallCore, waitAtMost } from "./core.ts"
import type { LiveSession } from "./session/live-sessions.ts"
import { findScope, isOn, type SessionScope } from "./session/session-scope.ts"
import { show } from "./show.ts"
import { recordSurfaced } from "./surface.ts"
import { nothingSurfaced, type RecallSession, type StartMode, type Surfaced } from "./types.ts"

/** A session's start shows this many times as many memories as later prompts. */
const startFactor = 2

/** What a session should know at its start; a resumed one gets only what is new. */
export async function start(core: RecallCore, session: RecallSession, how: StartMode): Promise<Surfaced> {
  const live = await core.sessions.open(session)
  const scope = await findScope(core, session.project)
  live.scope = scope
  if (!isOn(scope)) return nothingSurfaced
  if (how === "anew") resetSurfaced(core, live)
  // Loads the embedding model before the first prompt comes.
  core.background.run(core.embedder?.embed([session.id], { urgent: true }))
  await refreshBrief(core, live, scope)
  const brief = core.briefs.known(scope)
  if (brief === undefined) return nothingSurfaced
  const { max_memories, max_tokens } = scope.config.recall
  const { surfaced, wasShortened } = live.state
  const isNews = ({ id }: { id: string }) => !surfaced.includes(id)
  const current = await show(
    core,
    scope.root,
    brief.memories.filter(isNews),
    ({ sessionId }) => wasShortened || sessionId !== session.id,
  )
  const learned = how === "resumed" ? [] : await learnedLines(core, session, scope)
  const { shown, text } = writeText(current.slice(0, startFactor * max_memories), {
    maxTokens: max_tokens,
    more: how === "resumed" ? [] : [...learned, ...brief.recent],
  })
  recordSurfaced(core, live, shown, [])
  live.state.told = [...live.state.told, ...shown.map(({ id }) => id)]
  return { memories: shown, text }
}

/** After its context was shortened or cleared, a session may be shown everything again. */
function resetSurfaced(core: RecallCore, live: LiveSession): void {
  const { state } = live
  if (state.turns === 0 && state.surfaced.length === 0) return
  Object.assign(state, { surfaced: [], told: [], sinceReset: 0, wasShortened: true })
  core.sessions.save(live)
}

/** Refreshes the brief, and waits for it at most `recall.wait_ms`. */
async function refreshBrief(core: RecallCore, live: LiveSession, scope: SessionScope): Promise<void> {
  const brief = await core.briefs.prepared(scope)
  if (brief && !(await isStale(core, brief))) return
  const refreshing = core.briefs.refresh(scope)
  core.background.run(refreshing)
  await waitAtMost(core, live, refreshing)
}
