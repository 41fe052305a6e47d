import { isoTime } from "../../base/clock.ts"
import { shorten } from "../../base/text/text.ts"
import { neutralised } from "../../llm/fence.ts"
import type { Memory } from "../../memory/model/memory.ts"
import { wordsOf } from "../../storage/search.ts"
import { joinSql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"

/** What a judge may look at before it decides; reading only, and the answers are text for it. */
export interface DeeperLook {
  /** What was said about some words in the sessions of these projects. */
  searchSessions(words: string, projects: readonly string[]): Promise<string>
  /** What was said where a memory comes from. */
  readSource(memory: Memory): Promise<string>
}

interface TurnRow {
  session: string
  position: number
  role: string
  at: number
  text: string
}

/** Turns on each side of a memory's own that are shown. */
const around = 2
const mostFound = 6
const longestTurn = 600
/** So many of the newest sessions, and of the turns that have one of the words, are looked through. */
const mostSessions = 300
const mostTurns = 400

/** Looks into the sessions that are stored. */
export function createDeeperLook(on: Reader): DeeperLook {
  return {
    async searchSessions(words, projects) {
      const wanted = wordsOf(words).slice(0, 8)
      if (wanted.length === 0 || projects.length === 0) return "Nothing was found."
      const each = wanted.map((word) => sql`lower(t.text) like ${`%${word}%`}`)
      const rows = await on.read<TurnRow>(sql`
        select t.session as session, t.position as position, t.role as role, t.at as at, t.text as text from turns t
        where t.session in (
            select id from sessions where project in ${sqlList(projects)} order by updated_at desc limit ${mostSessions})
          and (${joinSql(each, sql` or `)}) order by t.at desc limit ${mostTurns}`)
      const found = rows
        .map((row) => ({ row, hits: wanted.filter((word) => row.text.toLowerCase().includes(word)).length }))
        .sort((a, b) => b.hits - a.hits || b.row.at - a.row.at)
        .slice(0, mostFound)
      return found.length === 0 ? "Nothing was found." : found.map(({ row }) => lineOf(row)).join("\n")
    },
    async readSource({ sessionId, messageIndex, details }) {
      if (sessionId === null || messageIndex === null) return details.context ?? "Its source is not known."
      const last = details.messageEnd ?? messageIndex
      const rows = await on.read<TurnRow>(sql`
        select session, position, role, at, text from turns
        where session = ${sessionId} and position >= ${messageIndex - around} and position <= ${last + around}
        order by position limit 12`)
      if (rows.length === 0) return details.context ?? "Its session is not stored any more."
      return rows.map(lineOf).join("\n")
    },
  }
}

function lineOf({ at, role, text }: TurnRow): string {
  return `${isoTime(at).slice(0, 10)} ${role}: ${shorten(neutralised(text), longestTurn)}`
}
