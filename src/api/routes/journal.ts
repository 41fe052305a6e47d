import { Hono } from "hono"
import { streamSSE } from "hono/streaming"
import { takeBackCycle } from "../../activities/tend/feedback.ts"
import { isoTime } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { count } from "../../base/text/text.ts"
import { changedSources, undoSourceChange } from "../../chat/discovery/curate.ts"
import { listOperations, type Undone, undo } from "../../memory/history/history.ts"
import { isCycleId, undoAgentSession } from "../../memory/history/undo-cycle.ts"
import { agentSessionNamed } from "../../memory/model/agents/agent-session.ts"
import { type By, followJournal, type JournalEntry, lastEntry, readJournal } from "../../storage/journal.ts"
import { schemaVersion } from "../answers/answer.ts"
import {
  type EntryJson,
  type JournalAnswer,
  type OperationsAnswer,
  requests,
  type UndoAnswer,
} from "../contract.ts"
import { bodyOf, byOf, queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

/** What happened, as it happens, and taking it back. */
export function journalRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.get("/", async (context) => {
    const { newest, ...query } = queryOf(context, requests.journal)
    const entries = await readJournal(needs.db, { ...query, newestFirst: newest })
    if (newest) entries.reverse()
    return context.json<JournalAnswer>({ schemaVersion, entries: entries.map(presentEntry) })
  })
  routes.get("/stream", async (context) => {
    const after = queryOf(context, requests.follow).after ?? (await lastEntry(needs.db))
    return streamSSE(context, async (out) => {
      const left = new AbortController()
      out.onAbort(() => left.abort())
      const ended = AbortSignal.any([left.signal, ...(needs.daemon ? [needs.daemon.stopping] : [])])
      await out.write(": following\n\n")
      for await (const entry of followJournal(needs, after, ended)) {
        await out.writeSSE({ id: String(entry.seq), data: JSON.stringify(presentEntry(entry)) })
      }
    })
  })
  routes.get("/operations", async (context) => {
    const operations = await listOperations(needs.db, queryOf(context, requests.operations).limit)
    const shown = operations.map((one) => ({ ...one, at: isoTime(one.at) }))
    return context.json<OperationsAnswer>({ schemaVersion, operations: shown })
  })
  routes.post("/undo", async (context) => {
    const { operation } = await bodyOf(context, requests.undo)
    const by = byOf(context, needs)
    const undone = await takeBack(needs, operation, by)
    return context.json<UndoAnswer>({ schemaVersion, outcome: "undone", ...undone })
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

function presentEntry(entry: JournalEntry): EntryJson {
  return { ...entry, at: isoTime(entry.at) }
}
