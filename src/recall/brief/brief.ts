import { formatDay } from "../../base/clock.ts"
import { shorten } from "../../base/text/text.ts"
import { neutralised } from "../../llm/fence.ts"
import { isUserWording } from "../../memory/extract/own-words/own-words.ts"
import { confidenceAt } from "../../memory/model/decay.ts"
import type { Memory } from "../../memory/model/memory.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"
import { selectMemories } from "../../memory/model/store/store.ts"
import { visibleTo } from "../../memory/model/visibility.ts"
import type { Screen } from "../../privacy/screen.ts"
import type { Session } from "../../sessions/session.ts"
import { listSessions } from "../../sessions/sessions.ts"
import { turnsOf } from "../../sessions/turns.ts"
import { readJournal } from "../../storage/journal.ts"
import { type Sql, sql, sqlList } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { type Prepared, toPrepared } from "../session/session-state.ts"

/** What every session of a project gets at its start, prepared before. */
export interface Brief {
  /** The last journal entry that it takes into account. */
  entry: number
  memories: Prepared[]
  /** Memories with triggers. */
  watched: (Prepared & { triggers: string[] })[]
  /** One line for each recent session. */
  recent: string[]
}

/** A session's project: its ids in the database, and its folder. */
export interface BriefScope {
  projects: readonly string[]
  root: string | null
}

const dayMs = 86_400_000
/** How much is read, and how much a brief has at most. */
const rulesRead = 200
const rulesInBrief = 12
const globalInBrief = 6
const watchedInBrief = 200
const recentInBrief = 3
const recentMs = 14 * dayMs
const sessionsShown = 3
/** Memories with less confidence are left out. */
const leastConfidence = 0.25

/** How much each type matters at the start of a session. */
const weightOf: Partial<Record<Memory["type"], number>> = {
  negative: 1,
  correction: 1,
  preference: 0.9,
  procedure: 0.7,
}

/** Kinds of entries that do not change a brief. */
const bookkeeping = ["memory.used", "memory.verified", "memory.doubted"]

/** Builds a project's brief: global rules, then the project's rules, then what is new there. */
export async function buildBrief(needs: MemoryCore, scope: BriefScope, entry: number): Promise<Brief> {
  const now = needs.clock.now()
  const visible = visibleTo({ projects: scope.projects })
  const rulesFound = await selectMemories(
    needs.db,
    sql`m.status = 'active' and m.type in ('preference', 'correction', 'negative', 'procedure') and ${visible}`,
    sql`order by m.created_at desc limit ${rulesRead}`,
  )
  const best = rulesFound
    .filter((memory) => isCertain(memory, now) && belongsHere(memory))
    .map((memory) => ({ memory, score: scoreOf(memory, now) }))
    .sort((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1))
  const everywhere = best.filter(({ memory }) => memory.scope === "global").slice(0, globalInBrief)
  const rules = [...everywhere, ...best.filter(({ memory }) => memory.scope !== "global")]
  const lately = await newest(needs, scope, now)
  const watched = await selectMemories(
    needs.db,
    sql`m.triggers is not null and m.status = 'active' and ${visible}`,
    sql`order by m.seq desc limit ${watchedInBrief}`,
  )
  const shown = [...rules.slice(0, rulesInBrief), ...lately.map((memory) => ({ memory, score: 0.3 }))]
  return {
    entry,
    memories: shown.map(({ memory, score }) => toPrepared(memory, score, ["project"], 0)),
    watched: watched.map((memory) => ({ ...toPrepared(memory, 0.95, [], 0), triggers: memory.triggers })),
    recent: await recentSessions(needs, scope),
  }
}

/** Procedures apply only in their own project. */
function belongsHere({ type, scope }: Memory): boolean {
  return type !== "procedure" || scope !== "global"
}

/** A guess that came up only once is not shown. */
function isCertain(memory: Memory, now: number): boolean {
  const isGuess = memory.source === "inferred" && memory.strength <= 1
  return !isGuess && confidenceAt(memory, now) >= leastConfidence
}

function scoreOf(memory: Memory, now: number): number {
  const near = memory.scope === "project" ? 1 : 0.8
  const often = 1 + 0.1 * Math.log2(memory.strength)
  const score = confidenceAt(memory, now) * (weightOf[memory.type] ?? 0.5) * near * often
  return Math.round(Math.min(1, score) * 1000) / 1000
}

/** The newest memories of the project itself. */
async function newest({ db }: MemoryCore, { projects }: BriefScope, now: number): Promise<Memory[]> {
  if (projects.length === 0) return []
  const found = await selectMemories(
    db,
    sql`m.project in ${sqlList(projects)} and m.scope = 'project' and m.status = 'active' and m.audience is null
      and m.created_at > ${now - recentMs} and m.type in ('fact', 'observation', 'entity')`,
    sql`order by m.created_at desc, m.id limit ${4 * recentInBrief}`,
  )
  return found.filter((memory) => isCertain(memory, now)).slice(0, recentInBrief)
}

/** The titles and outcomes of recent sessions. */
async function recentSessions({ db, screen }: MemoryCore, scope: BriefScope): Promise<string[]> {
  if (scope.projects.length === 0) return []
  const found = await listSessions(db, { projects: scope.projects, isTitled: true, limit: sessionsShown })
  const lines = await Promise.all(
    found.map(async (session) => {
      const { tool, updatedAt } = session
      if (session.title === null || !isUserWording(session.title)) return []
      const whole = `${session.title}\n${await outcomeOf(db, session)}`
      const text = await screened(screen, whole, scope.root)
      const [title = "", outcome = ""] = text?.split("\n") ?? []
      const shown = [
        shorten(neutralised(title), 120),
        ...(outcome ? [shorten(neutralised(outcome), 160)] : []),
      ]
      return title === ""
        ? []
        : [`- Worked on ${formatDay(updatedAt)} in ${tool}: ${shown.join(" Outcome: ")}`]
    }),
  )
  return lines.flat()
}

/** How a session ended: the first sentence of the agent's last message, or that it was interrupted. */
async function outcomeOf(db: Reader, { id, status }: Session): Promise<string> {
  if (status === "crashed") return "it was interrupted."
  const [last] = await turnsOf(db, id, { roles: ["assistant"], newest: true, limit: 1 })
  const [sentence = ""] = /^[^\n]{3,400}?(?:[.!?](?=\s|$)|$)/m.exec(last?.text.trim() ?? "") ?? []
  return sentence.trim()
}

/** A text without secrets; undefined if the screen refuses all of it. */
export async function screened(
  screen: Screen,
  text: string,
  projectRoot: string | null,
): Promise<string | undefined> {
  const result = await screen.check(text, { projectRoot })
  return result.outcome === "refused" ? undefined : result.text
}

/** Whether anything happened since that would change a brief. */
export async function isStale({ db }: Pick<MemoryCore, "db">, { entry }: Brief): Promise<boolean> {
  const where: Sql = sql`kind not in ${sqlList(bookkeeping)}`
  const [newer] = await readJournal(db, { after: entry, kind: ["memory.", "session."], where, limit: 1 })
  return newer !== undefined
}
