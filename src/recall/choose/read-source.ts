import { isoTime } from "../../base/clock.ts"
import { shorten } from "../../base/text/text.ts"
import { neutralised } from "../../llm/fence.ts"
import type { Memory } from "../../memory/model/memory.ts"
import type { Turn } from "../../sessions/turn.ts"
import { searchTurns, turnsOf } from "../../sessions/turns.ts"
import { searchTerms } from "../../storage/search.ts"
import type { Reader } from "../../storage/transaction.ts"

/** Lets a model read past sessions; the answers are text for it. */
export interface SourceReader {
  /** Turns with these words in the sessions of these projects. */
  searchSessions(words: string, projects: readonly string[]): Promise<string>
  /** The turns around the one that a memory comes from. */
  readSource(memory: Memory): Promise<string>
}

/** Turns on each side of a memory's own that are shown. */
const around = 2
const mostFound = 6
const longestTurn = 600
/** At most this many turns with one of the words are read. */
const mostTurns = 400

export function createSourceReader(on: Reader): SourceReader {
  return {
    async searchSessions(words, projects) {
      const wanted = searchTerms(words).slice(0, 8)
      if (wanted.length === 0 || projects.length === 0) return "Nothing was found."
      const rows = await searchTurns(on, { words: wanted, projects, limit: mostTurns })
      const found = rows
        .map((row) => ({ row, hits: wanted.filter((word) => row.text.toLowerCase().includes(word)).length }))
        .sort((a, b) => b.hits - a.hits || b.row.at - a.row.at)
        .slice(0, mostFound)
      return found.length === 0 ? "Nothing was found." : found.map(({ row }) => lineOf(row)).join("\n")
    },
    async readSource({ sessionId, messageIndex, details }) {
      if (sessionId === null || messageIndex === null) return details.context ?? "Its source is not known."
      const last = details.messageEnd ?? messageIndex
      const rows = await turnsOf(on, sessionId, {
        from: messageIndex - around,
        to: last + around + 1,
        limit: 12,
      })
      if (rows.length === 0) return details.context ?? "Its session is no longer stored."
      return rows.map(lineOf).join("\n")
    },
  }
}

function lineOf({ at, role, text }: Pick<Turn, "at" | "role" | "text">): string {
  return `${isoTime(at).slice(0, 10)} ${role}: ${shorten(neutralised(text), longestTurn)}`
}
