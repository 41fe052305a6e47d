import { z } from "zod"
import { type Loop, startLoop } from "../../base/loop.ts"
import { readableTools } from "../../config/settings/memory.ts"
import type { Recall, SessionEvent } from "../../recall/types.ts"
import { listSessions } from "../../sessions/sessions.ts"
import type { Turn } from "../../sessions/turn.ts"
import { turnsOf } from "../../sessions/turns.ts"
import type { InstallCore } from "../../storage/core.ts"
import { lastEntry, readJournal } from "../../storage/journal.ts"

/** Older turns are history and not current work. */
const freshMs = 5 * 60_000
const mostTurns = 50
/** Several commits in a row cause one run. */
const settleMs = 300

/**
 * Gives recall the turns that hooks do not report: what an agent writes while it works, so that recall keeps up with
 * long work, and the prompts of tools without hooks. Returns how to stop.
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
    for (const { subject, data } of entries)
      if (!signal.aborted) await reportTurns(needs, subject ?? "", data)
    return Number.POSITIVE_INFINITY
  }
  const problem = "Recall could not read a transcript's turns"
  const wakeOn = (loop: Loop) => db.onCommit(() => loop.wakeWithin(settleMs))
  return startLoop(needs, { work, problem, retryMs: Number.POSITIVE_INFINITY, wakeOn }).stop
}

const readSchema = z.object({ turns: z.number(), from: z.number() })

async function reportTurns(
  { db, clock, install, recall }: InstallCore & { recall: Pick<Recall, "observe"> },
  id: string,
  data: unknown,
): Promise<void> {
  const read = readSchema.safeParse(data)
  const [session] = await listSessions(db, { ids: [id], install })
  // Sessions of other programs reach recall before they are stored.
  const isTranscript = readableTools.some((tool) => tool === session?.tool)
  if (!read.success || session === undefined || !isTranscript) return
  const { turns, from } = read.data
  const first = Math.max(from, from + turns - mostTurns)
  const fresh = (await turnsOf(db, id, { from: first, limit: mostTurns })).filter(
    ({ at }) => at > clock.now() - freshMs,
  )
  const about = { id, tool: session.tool, project: session.folder ?? undefined }
  for (const happening of fresh.flatMap(sessionEventOf)) await recall.observe(about, happening)
}

/** Hooks report tool calls, so those are left out. */
function sessionEventOf({ role, text, files }: Turn): SessionEvent[] {
  if (role === "user") return [{ kind: "prompt", text }]
  return role === "assistant" ? [{ kind: "output", text, files }] : []
}
