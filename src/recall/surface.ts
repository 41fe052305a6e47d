import { forbids } from "../language/read/trigger-words.ts"
import { partHeadings } from "../llm/fence.ts"
import { occursIn } from "../memory/find/triggers.ts"
import { appendEntry } from "../storage/journal.ts"
import { writeText } from "./brief/write-text.ts"
import { entryOf } from "./choose/prepare-memories.ts"
import { countUse } from "./choose/upkeep.ts"
import type { RecallCore } from "./core.ts"
import type { LiveSession } from "./session/live-sessions.ts"
import { isOn } from "./session/session-scope.ts"
import { isTriggered, type Prepared } from "./session/session-state.ts"
import { show } from "./show.ts"
import { announcesChange, isTopicChange } from "./topic.ts"
import { nothingSurfaced, type Surfaced, type SurfacedMemory } from "./types.ts"

/** At most this many ids are stored as surfaced. */
const mostSurfaced = 500
/** Reads this many times as many memories as can be shown, since some are not active any more. */
const spareFactor = 2

/**
 * Brings up what is prepared, and what the text triggers. The lock matters because parallel tool calls report at the same
 * time: each memory goes to one of them.
 */
export function surface(core: RecallCore, live: LiveSession, text: string | undefined): Promise<Surfaced> {
  return live.surfacing.run(() => {
    const waiting = text !== undefined && isOtherTopic(live, text) ? [] : live.state.prepared
    return surfaceFrom(core, live, [...triggeredNow(core, live, text), ...waiting], [])
  })
}

/** Brings up the user's prohibitions that a tool call is about to break. */
export function surfaceWarnings(core: RecallCore, live: LiveSession, text: string): Promise<Surfaced> {
  return live.surfacing.run(() =>
    surfaceFrom(core, live, triggeredNow(core, live, text), [partHeadings.held], isProhibition),
  )
}

function isProhibition({ isRule, type, content }: SurfacedMemory): boolean {
  return isRule && (type !== "preference" || forbids(content))
}

/** What a text triggers; memories from the session's start may come up once more that way. */
function triggeredNow(core: RecallCore, live: LiveSession, text: string | undefined): Prepared[] {
  if (text === undefined) return []
  const { surfaced, told } = live.state
  return findTriggered(core, live, text).filter(({ id }) => told.includes(id) || !surfaced.includes(id))
}

/** Whether a prompt that was not searched yet seems to be about another topic than what is prepared. */
function isOtherTopic(live: LiveSession, text: string): boolean {
  const { state, searchedTurn } = live
  if (searchedTurn === state.turns) return false
  const { prompts: texts, wasAsked } = state
  return announcesChange(text) || isTopicChange({ texts, vectors: [], wasAsked }, text, undefined)
}

/** Reads only the rows it shows, so its time does not grow with the store. */
async function surfaceFrom(
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
  const read = fresh.slice(0, spareFactor * max_memories)
  const current = await show(core, scope.root, read)
  const wanted = current.filter(isWanted).slice(0, max_memories)
  const { shown, text } = writeText(wanted, { maxTokens: max_tokens, lead })
  const gone = read.filter(({ id }) => !current.some((one) => one.id === id)).map(({ id }) => id)
  recordSurfaced(core, live, shown, gone)
  return { memories: shown, text }
}

function distinct(list: readonly Prepared[]): Prepared[] {
  return [...new Map(list.toReversed().map((one) => [one.id, one])).values()].toReversed()
}

/** Records what was brought up, and counts it as used. */
export function recordSurfaced(
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
    await countUse(transaction, ids, entry.at, entry)
  })
}

/** Characters of a text that are searched for triggers. */
const longestSearched = 20_000

/** The memories whose triggers occur in a text. Reads nothing from the database. */
export function findTriggered(core: RecallCore, live: LiveSession, text: string): Prepared[] {
  const brief = live.scope && core.briefs.known(live.scope)
  if (brief === undefined) return []
  const searched = text.slice(0, longestSearched)
  return brief.watched.flatMap(({ triggers, ...memory }) => {
    const pattern = triggers.find((one) => occursIn(one, searched))
    return pattern === undefined ? [] : [{ ...memory, via: [`trigger ${pattern}`] }]
  })
}
