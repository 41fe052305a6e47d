import { UserError } from "../../../base/errors.ts"
import { count } from "../../../base/text/text.ts"
import { chatEntryLabels } from "../../../chat/conversation/effect.ts"
import { roomKey } from "../../../chat/conversation/state.ts"
import type { Database } from "../../../storage/database.ts"
import { type JournalEntry, readJournal } from "../../../storage/journal.ts"
import { type Sql, sql } from "../../../storage/sql.ts"
import { findRooms } from "../rooms.ts"

/** One decision about a message, for users. */
export interface MessageDecision {
  at: number
  kind: string
  room: string
  /** What was done and why. */
  text: string
  messages: string[]
  posts: string[]
}

interface EntryData {
  reason?: string
  run?: string
  kind?: string
  messages?: string[]
  background?: string[]
  posts?: string[]
  attempt?: number
  omitted?: number
  usd?: number
  tool?: string
  to?: string | null
  isRegret?: boolean
}

/** At most this many journal entries are searched. */
const maxEntries = 20_000

/** All decisions about a message, or about the last one that has any; the oldest first. */
export async function explainMessage(
  db: Database,
  { message, channel }: { message?: string | undefined; channel?: string | undefined },
): Promise<MessageDecision[]> {
  const rooms = channel === undefined ? undefined : await findRooms({ db }, channel)
  const subjects = rooms && new Set(rooms.map(roomKey))
  const found =
    message === undefined
      ? await newest(db, subjects)
      : (await entries(db, about(message))).filter(
          (entry) => isAbout(entry, message) && isIn(entry, subjects),
        )
  if (found.length === 0)
    throw new UserError(
      "not-found",
      message === undefined
        ? "Nothing was decided in any chat channel yet."
        : `The journal has no entry about a message ${message}; use the platform's own ids.`,
    )
  const all = new Map(found.map((entry) => [entry.seq, entry]))
  const runs = new Map(found.map((entry) => [`${entry.subject} ${runOf(entry)}`, entry]))
  for (const one of runs.values()) {
    const run = runOf(one)
    if (run === undefined) continue
    const same = sql`subject = ${one.subject} and data like ${`%"run":"${run}"%`}`
    for (const entry of await entries(db, same)) if (runOf(entry) === run) all.set(entry.seq, entry)
  }
  return [...all.values()].sort((a, b) => a.seq - b.seq).map(inWords)
}

/** The newest decisive entry, or else the newest entry. */
async function newest(db: Database, subjects: ReadonlySet<string> | undefined): Promise<JournalEntry[]> {
  const all = await entries(db, sql`subject <> '*'`)
  const own = all.filter((entry) => isIn(entry, subjects))
  const last = own.findLast((entry) => decisive.has(entry.kind)) ?? own.at(-1)
  return last ? [last] : []
}

const decisive = new Set([
  ...["chat.replied", "chat.reacted", "chat.held", "chat.silenced", "chat.refused"],
  ...["chat.unconfirmed", "chat.failed", "chat.dropped", "chat.command-refused"],
])

async function entries(db: Database, where: Sql): Promise<JournalEntry[]> {
  const kind = ["chat.", "tool."]
  const found = await readJournal(db, { kind, where, limit: maxEntries, newestFirst: true })
  return found.toReversed().filter((entry) => entry.actor === "chat" || entry.kind.startsWith("chat."))
}

function about(message: string): Sql {
  return sql`data like ${`%${JSON.stringify(message)}%`}`
}

function dataOf({ data }: JournalEntry): EntryData {
  return (data ?? {}) as EntryData
}

function runOf(entry: JournalEntry): string | undefined {
  return dataOf(entry).run
}

function isAbout(entry: JournalEntry, message: string): boolean {
  const { messages = [], background = [], posts = [], to = null } = dataOf(entry)
  return [...messages, ...background, ...posts, to].includes(message)
}

function isIn({ subject }: JournalEntry, subjects: ReadonlySet<string> | undefined): boolean {
  return subjects === undefined || subjects.has(subject ?? "")
}

function inWords(entry: JournalEntry): MessageDecision {
  const { at, kind, subject } = entry
  const data = dataOf(entry)
  const { messages = [], posts = [] } = data
  return { at, kind, room: subject ?? "", text: sentenceOf(kind, data), messages, posts }
}

/** What was done and why, in one line. */
export function sentenceOf(kind: string, data: object): string {
  const { reason = "", ...rest } = data as EntryData
  const done = actionOf(kind, rest)
  const more = details(kind, rest)
  return `${done}${more === "" ? "" : ` (${more})`}${reason === "" ? "." : `: ${reason}`}`
}

function actionOf(kind: string, { tool = "a tool", isRegret }: EntryData): string {
  if (kind === "tool.allowed") return `The model used ${tool}`
  if (kind.startsWith("tool.")) return `The model was refused ${tool}`
  return isRegret ? "It said that it cannot answer" : (labels[kind] ?? kind)
}

const labels: Record<string, string> = chatEntryLabels

function details(kind: string, { kind: run, messages, attempt, omitted, usd }: EntryData): string {
  const parts = [
    ...(kind === "chat.asked" && run ? [run] : []),
    ...(kind === "chat.asked" && messages?.length ? [count(messages.length, "message")] : []),
    ...(attempt !== undefined && attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(omitted ? [`${omitted} omitted`] : []),
    ...(usd ? [`$${usd.toFixed(4)}`] : []),
  ]
  return parts.join(", ")
}
