import { Hono } from "hono"
import { streamSSE } from "hono/streaming"
import { takeBackCycle } from "../../activities/tend/feedback.ts"
import { UserError } from "../../base/errors.ts"
import { count } from "../../base/text/text.ts"
import { changedSources, undoSourceChange } from "../../chat/discovery/curate.ts"
import { listOperations, type Undone, undo } from "../../memory/history/history.ts"
import { isCycleId, undoAgentSession } from "../../memory/history/undo-cycle.ts"
import { agentSessionNamed } from "../../memory/model/agents/agent-session.ts"
import { type By, followJournal, lastEntry, readJournal } from "../../storage/journal.ts"
import { isoTimes } from "../contract/iso-times.ts"
import { requests } from "../contract/requests.ts"
import { queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"
import type { On } from "../routing.ts"

/** What happened, as it happens, and taking it back. */
export function journalRoutes(on: On, needs: AppNeeds): void {
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
    return { outcome: "undone", ...(await takeBack(needs, operation, by())) }
  })
}

/** The journal as it is written. */
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

/** Takes back what was named: an operation, all of a cycle, or all of an agent's session. */
async function takeBack(needs: AppNeeds, named: string | undefined, by: By): Promise<Undone> {
  if (named !== undefined && (await changedSources(needs.db, named))) return takeBackSources(needs, named, by)
  const session = named === undefined ? undefined : agentSessionNamed(named)
  if (session !== undefined) return undoAgentSession(needs, by, session)
  return named !== undefined && isCycleId(named) ? takeBackCycle(needs, named, by) : undo(needs, by, named)
}

/** Takes back what a model changed of a community's sources. */
async function takeBackSources(needs: AppNeeds, named: string, by: By): Promise<Undone> {
  const isRepeated = await changedSources(needs.db, by.operation)
  const changes = isRepeated ? 1 : await undoSourceChange(needs, named, by)
  if (changes === 0)
    throw new UserError("conflict", `${named} changed sources, and nothing of that is left to take back.`)
  const summary = count(changes, "source")
  return { undid: named, operation: by.operation, changes, summary, did: "changed" }
}
