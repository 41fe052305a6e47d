import { partHeadings } from "../llm/fence.ts"
import { forbids } from "../memory/extract/rules/read/trigger-words.ts"
import { appendEntry } from "../storage/journal.ts"
import { writeText } from "./brief/write-text.ts"
import { entryOf } from "./choose/prepare-memories.ts"
import { noteUse } from "./choose/upkeep.ts"
import type { RecallCore } from "./core.ts"
import type { LiveSession } from "./session/live-sessions.ts"
import { isOn } from "./session/session-scope.ts"
import type { Prepared } from "./session/session-state.ts"
import { show } from "./show.ts"
import { isTopicChange, saysChange } from "./topic.ts"
import { nothingSurfaced, type Surfaced, type SurfacedMemory } from "./types.ts"
import { watchedBy } from "./watched.ts"

/** What is remembered as surfaced. */
const mostSurfaced = 500
/** More than can be shown is looked at, since some turn out to be gone. */
const spareFactor = 2

/**
 * Gives what is prepared and still true, and what has its words in the text. Tools that run at once tell of themselves at
 * once: what is given to one is not given to another.
 */
export function give(core: RecallCore, live: LiveSession, text: string | undefined): Promise<Surfaced> {
  return live.giving.run(() => {
    const waiting = text !== undefined && isElsewhere(live, text) ? [] : live.state.prepared
    return handOut(core, live, [...watchedAnew(core, live, text), ...waiting], [])
  })
}

/** Gives the user's prohibitions that have their words in what an agent is about to do. */
export function giveWarnings(core: RecallCore, live: LiveSession, text: string): Promise<Surfaced> {
  return live.giving.run(() =>
    handOut(core, live, watchedAnew(core, live, text), [partHeadings.held], isProhibition),
  )
}

function isProhibition({ isRule, type, content }: SurfacedMemory): boolean {
  return isRule && (type !== "preference" || forbids(content))
}

/** What the start of a session told may be told once more where its own words stand. */
function watchedAnew(core: RecallCore, live: LiveSession, text: string | undefined): Prepared[] {
  if (text === undefined) return []
  const { surfaced, told } = live.state
  return watchedBy(core, live, text).filter(({ id }) => told.includes(id) || !surfaced.includes(id))
}

/** Whether a prompt that no search has looked at yet seems to be about something else than what waits. */
function isElsewhere(live: LiveSession, text: string): boolean {
  const { state, searchedTurn } = live
  if (searchedTurn === state.turns) return false
  const { prompts: texts, wasAsked } = state
  return saysChange(text) || isTopicChange({ texts, vectors: [], wasAsked }, text, undefined)
}

/** Reads the rows of what it gives, and nothing else: it takes as long in a large store as in a small one. */
async function handOut(
  core: RecallCore,
  live: LiveSession,
  offered: readonly Prepared[],
  lead: readonly string[],
  isWanted: (memory: SurfacedMemory) => boolean = () => true,
): Promise<Surfaced> {
  const scope = live.scope ?? { projects: [], root: null, config: core.config }
  if (!isOn(scope)) return nothingSurfaced
  const { max_memories, max_tokens } = scope.config.recall
  const { surfaced } = live.state
  const fresh = distinct(offered).filter(({ id, via }) => isTriggered(via) || !surfaced.includes(id))
  const looked = fresh.slice(0, spareFactor * max_memories)
  const standing = await show(core, scope.root, looked)
  const wanted = standing.filter(isWanted).slice(0, max_memories)
  const { shown, text } = writeText(wanted, { maxTokens: max_tokens, lead })
  const gone = looked.filter(({ id }) => !standing.some((one) => one.id === id)).map(({ id }) => id)
  noteSurfaced(core, live, shown, gone)
  return { memories: shown, text }
}

function isTriggered(via: readonly string[]): boolean {
  return via.some((step) => step.startsWith("trigger "))
}

function distinct(list: readonly Prepared[]): Prepared[] {
  return [...new Map(list.toReversed().map((one) => [one.id, one])).values()].toReversed()
}

/** Keeps in mind what was brought up, and counts it as used. */
export function noteSurfaced(
  core: RecallCore,
  live: LiveSession,
  shown: readonly { id: string }[],
  gone: readonly string[],
): void {
  const ids = shown.map(({ id }) => id)
  if (ids.length === 0 && gone.length === 0) return
  const { state } = live
  live.shownNow = [...live.shownNow, ...ids]
  state.surfaced = [...new Set([...state.surfaced, ...ids])].slice(-mostSurfaced)
  state.told = state.told.filter((id) => !ids.includes(id))
  state.prepared = state.prepared.filter(({ id }) => !ids.includes(id) && !gone.includes(id))
  const entry = entryOf(core, live, "recall.surfaced", { turn: state.turns, memories: ids })
  core.sessions.save(live, async (transaction) => {
    if (ids.length === 0) return
    await appendEntry(transaction, entry)
    await noteUse(transaction, ids, entry.at, entry)
  })
}
