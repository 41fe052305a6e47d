import { isoTime } from "../base/clock.ts"
import { findSuspectedUpdates } from "../memory/find/newer-first.ts"
import { isAgentNote, isFromUser } from "../memory/model/agents/agents.ts"
import { contentKey, type Memory } from "../memory/model/memory.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import { isNote } from "../memory/model/note.ts"
import { selectMemories } from "../memory/model/store/store.ts"
import { sql, sqlList } from "../storage/sql.ts"
import { screened } from "./brief/brief.ts"
import { originOf, wholeContent } from "./brief/write-text.ts"
import type { Prepared } from "./session/session-state.ts"
import type { SurfacedMemory } from "./types.ts"

/**
 * Prepared memories as they are shown now: only active ones whose text has not changed. Reads their rows and their
 * may-replace links only.
 */
export async function show(
  { db, screen }: Pick<MemoryCore, "db" | "screen">,
  root: string | null,
  offered: readonly Prepared[],
  isWanted: (memory: Memory) => boolean = () => true,
): Promise<SurfacedMemory[]> {
  if (offered.length === 0) return []
  const ids = sqlList(offered.map(({ id }) => id))
  const found = await selectMemories(db, sql`m.status = 'active' and m.id in ${ids}`)
  const newer = await findSuspectedUpdates(
    db,
    found.map(({ id }) => id),
  )
  const memories = new Map(found.filter(isWanted).map((memory) => [memory.id, memory]))
  const each = offered.map(async ({ id, key, score, via }): Promise<SurfacedMemory[]> => {
    const memory = memories.get(id)
    if (memory === undefined || contentKey(memory.content) !== key) return []
    const content = await screened(screen, wholeContent(memory), root)
    if (content === undefined) return []
    const older = newer.get(id)
    return [{ ...surfacedFrom(memory, content, score, via), ...(older === undefined ? {} : { older }) }]
  })
  return (await Promise.all(each)).flat()
}

export function surfacedFrom(
  memory: Memory,
  content: string,
  score: number,
  via: readonly string[],
): SurfacedMemory {
  const { id, sourceId, type, createdAt, details } = memory
  return {
    id,
    sourceId,
    content,
    type,
    score: Math.round(score * 1000) / 1000,
    via: [...via],
    origin: originOf(memory),
    at: isoTime(createdAt),
    isRule: isRule(memory),
    ...(details.outdated ? { outdated: details.outdated.notes } : {}),
  }
}

/** Whether a memory is a preference, prohibition or correction by the user, or in notes that they imported. */
function isRule(memory: Memory): boolean {
  const { type } = memory
  const isUsers = isFromUser(memory) || (isNote(memory) && !isAgentNote(memory))
  return isUsers && (type === "preference" || type === "negative" || type === "correction")
}
