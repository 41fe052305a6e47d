import { Hono } from "hono"
import { streamSSE } from "hono/streaming"
import { undoWholeCycle } from "../../activities/tend/feedback.ts"
import { findCycle } from "../../attention/cycles.ts"
import { UserError } from "../../base/errors.ts"
import { count } from "../../base/text/text.ts"
import { changedSources, undoSourceChange } from "../../chat/discovery/curate.ts"
import { isOtherEnd, listOperations, type Undone, undo } from "../../memory/history/undo.ts"
import { isCycleId, undoAgentSession } from "../../memory/history/undo-group.ts"
import { parseAgentSession } from "../../memory/model/agents/agent-session.ts"
import { type By, followJournal, lastEntry, readJournal } from "../../storage/journal.ts"
import { isoTimes } from "../contract/iso-times.ts"
import { requests } from "../contract/requests.ts"
import { queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"
import type { AddRoute } from "../routing.ts"

/** The journal, and undo. */
export function journalRoutes(on: AddRoute, needs: AppNeeds): void {
  on("journal", async ({ newest, ...query }) => {
    const entries = await readJournal(needs.db, { ...query, newestFirst: newest })
    if (newest) entries.reverse()
    return { entries: entries.map(isoTimes) }
  })
  on("operations", async (asked) => {
    const operations = await listOperations(needs.db, asked.limit)
    return { operations: operations.map(isoTimes) }
  })
  on("undo", async ({ operation }, { by }) => {
    return { outcome: "undone", ...(await undoNamed(needs, operation, by())) }
  })
}

/** The live journal. */
export function followRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.get("/stream", async (context) => {
    const after = queryOf(context, requests.follow).after ?? (await lastEntry(needs.db))
    return streamSSE(context, async (out) => {
      const left = new AbortController()
      out.onAbort(() => left.abort())
      const ended = AbortSignal.any([left.signal, ...(needs.daemon ? [needs.daemon.stopping] : [])])
      await out.write(": following\n\n")
      for await (const entry of followJournal(needs, after, ended)) {
        await out.writeSSE({ id: String(entry.seq), data: JSON.stringify(isoTimes(entry)) })
      }
    })
  })
  return routes
}

/** Undoes an operation, a cycle, or an agent's session. */
async function undoNamed(needs: AppNeeds, named: string | undefined, by: By): Promise<Undone> {
  if (named !== undefined && (await changedSources(needs.db, named))) return undoSources(needs, named, by)
  const session = named === undefined ? undefined : parseAgentSession(named)
  if (session !== undefined) return undoAgentSession(needs, by, session)
  const cycle = named === undefined ? undefined : await cycleNamed(needs, named)
  return cycle === undefined ? undo(needs, by, named) : undoWholeCycle(needs, cycle, by)
}

/** The id of the cycle that a name means: a cycle's id, or the end of one that no operation has. */
async function cycleNamed({ db, install }: AppNeeds, named: string): Promise<string | undefined> {
  if (isCycleId(named)) return named
  if (!(await isOtherEnd(db, named))) return undefined
  const cycle = await findCycle(db, install, named)
  return cycle?.id.endsWith(named) ? cycle.id : undefined
}

/** Undoes a model's change of a community's sources. */
async function undoSources(needs: AppNeeds, named: string, by: By): Promise<Undone> {
  const isRepeated = await changedSources(needs.db, by.operation)
  const changes = isRepeated ? 1 : await undoSourceChange(needs, named, by)
  if (changes === 0)
    throw new UserError("conflict", `${named} changed sources, and there is nothing left to undo.`)
  const summary = count(changes, "source")
  return { undid: named, operation: by.operation, changes, summary, did: "changed" }
}
