import { z } from "zod"
import { startLoop } from "../../base/loop.ts"
import { readableTools } from "../../config/settings/memory.ts"
import type { Happening, Recall } from "../../recall/types.ts"
import { listSessions } from "../../sessions/sessions.ts"
import type { Turn } from "../../sessions/turn.ts"
import { turnsOf } from "../../sessions/turns.ts"
import type { InstallCore } from "../../storage/core.ts"
import { lastEntry, readJournal } from "../../storage/journal.ts"

/** What was said longer ago is history: nobody works on it now. */
const freshMs = 5 * 60_000
const mostTurns = 50
/** Commits come in crowds; one look for all of them is enough. */
const settleMs = 300

/**
 * Tells recall what transcripts say beyond what hooks tell: what an agent writes on the way, so that long work is looked
 * at again, and prompts of tools without hooks. Returns how to stop.
 */
export function startFeedingRecall(
  needs: InstallCore & { recall: Pick<Recall, "observe"> },
): () => Promise<void> {
  const { db } = needs
  let position: number | undefined
  const work = async (signal: AbortSignal) => {
    const after = position ?? (await lastEntry(db))
    const entries = await readJournal(db, { after, kind: "session.read" })
    position = entries.at(-1)?.seq ?? after
    for (const { subject, data } of entries) if (!signal.aborted) await tellTurns(needs, subject ?? "", data)
    return Number.POSITIVE_INFINITY
  }
  const problem = "Recall could not be told what a transcript says"
  const loop = startLoop(needs, { work, problem, retryMs: Number.POSITIVE_INFINITY })
  const stopListening = db.onCommit(() => loop.soon(settleMs))
  return async () => {
    stopListening()
    await loop.stop()
  }
}

const readSchema = z.object({ turns: z.number(), from: z.number() })

async function tellTurns(
  { db, clock, install, recall }: InstallCore & { recall: Pick<Recall, "observe"> },
  id: string,
  data: unknown,
): Promise<void> {
  const read = readSchema.safeParse(data)
  const [session] = await listSessions(db, { ids: [id], install })
  // What other programs tell goes through recall before it is stored.
  const isTranscript = readableTools.some((tool) => tool === session?.tool)
  if (!read.success || session === undefined || !isTranscript) return
  const { turns, from } = read.data
  const first = Math.max(from, from + turns - mostTurns)
  const fresh = (await turnsOf(db, id, { from: first, limit: mostTurns })).filter(
    ({ at }) => at > clock.now() - freshMs,
  )
  const told = { id, tool: session.tool, project: session.folder ?? undefined }
  for (const happening of fresh.flatMap(happeningOf)) await recall.observe(told, happening)
}

/** Tools tell of themselves by hooks, with what they were given. */
function happeningOf({ role, text, files }: Turn): Happening[] {
  if (role === "user") return [{ kind: "prompt", text }]
  return role === "assistant" ? [{ kind: "output", text, files }] : []
}
