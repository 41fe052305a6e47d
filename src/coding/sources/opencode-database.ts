import { stat } from "node:fs/promises"
import type { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { readThirdPartySqlite } from "../../storage/sqlite/third-party.ts"
import { parseJsonLine } from "../reading/json-line.ts"
import type {
  Progress,
  ReadResult,
  Redact,
  SessionLocation,
  SessionSource,
} from "../sessions/session-source.ts"
import { readOpencodeMessage } from "./opencode-message.ts"

/** How many messages are read at a time. */
const batch = 200

/** opencode's database, opened read-only and only when its file changed. */
export function opencodeDatabase(file: string, redact: Redact): SessionSource {
  let known: { stamp: string; since: number; locations: SessionLocation[] } | undefined
  return {
    tool: "opencode",
    async locations(since) {
      const stamp = await stampOf(file)
      if (stamp === undefined) return []
      if (known?.stamp === stamp && known.since <= since)
        return known.locations.filter(({ changedAt }) => changedAt >= since)
      const locations = await readThirdPartySqlite(file, (db) => locationsIn(db, file, since))
      known = { stamp, since, locations }
      return locations
    },
    read: (location, from) =>
      readThirdPartySqlite(file, (db) => readSession(db, location.slice(file.length + 1), from, redact)),
  }
}

async function stampOf(file: string): Promise<string | undefined> {
  const main = await stat(file).catch(() => undefined)
  const log = await stat(`${file}-wal`).catch(() => undefined)
  return main && `${main.size}/${main.mtimeMs}/${log?.size ?? 0}/${log?.mtimeMs ?? 0}`
}

const sessionRow = z.object({
  id: z.string(),
  directory: z.string(),
  title: z.string(),
  time_created: z.number(),
  changed: z.number(),
})

function locationsIn(db: DatabaseSync, file: string, since: number): SessionLocation[] {
  const rows = db
    .prepare(
      `select id, directory, title, time_created, max(time_updated, coalesce(
         (select max(m.time_updated) from message m where m.session_id = session.id), 0)) as changed
       from session where parent_id is null and time_updated >= ?`,
    )
    .all(since)
  return rows.flatMap((row) => {
    const parsed = sessionRow.safeParse(row)
    if (!parsed.success) return []
    const { id, changed } = parsed.data
    return [{ id: `${file}#${id}`, changedAt: changed, stamp: String(changed) }]
  })
}

const messageRow = z.object({ id: z.string(), time_updated: z.number(), data: z.string() })
const partRow = z.object({ id: z.string(), data: z.string() })

/** Reads messages that changed since the position, which is a time, up to the first unfinished one. */
function readSession(db: DatabaseSync, id: string, from: Progress | undefined, redact: Redact): ReadResult {
  const position = from?.position ?? 0
  const row = sessionRow.safeParse(
    db
      .prepare("select id, directory, title, time_created, time_updated as changed from session where id = ?")
      .get(id),
  )
  if (!row.success) return { position, state: null, update: undefined, more: false }
  const messages = z.array(messageRow).parse(
    db
      .prepare(
        `select id, time_updated, data from message where session_id = ? and time_updated > ?
         order by time_updated, id`,
      )
      .all(id, position),
  )
  // Messages of one time stay together, because the next read starts after it.
  const last = messages[batch - 1]?.time_updated
  const taken = last === undefined ? messages : messages.filter(({ time_updated }) => time_updated <= last)
  const parts = db.prepare("select id, data from part where message_id = ? order by id")
  const read = taken.map((message) => ({
    ...message,
    ...readOpencodeMessage(
      {
        data: parseJsonLine(message.data),
        parts: z
          .array(partRow)
          .parse(parts.all(message.id))
          .map((part) => ({ id: part.id, data: parseJsonLine(part.data) })),
      },
      redact,
    ),
  }))
  const unfinished = read.find(({ isFinished }) => !isFinished)
  const until = unfinished ? unfinished.time_updated - 1 : (read.at(-1)?.time_updated ?? position)
  const { directory, title, time_created: startedAt } = row.data
  const inOrder = read.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const update = {
    nativeId: id,
    folder: directory,
    title: redact(title),
    startedAt,
    phase: inOrder.at(-1)?.phase,
    turns: inOrder.flatMap(({ turns }) => turns),
  }
  return {
    position: Math.max(position, until),
    state: null,
    update,
    more: taken.length < messages.length && !unfinished,
  }
}
