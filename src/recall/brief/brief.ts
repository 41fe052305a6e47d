import { dayOf } from "../../base/clock.ts"
import { shorten } from "../../base/text/text.ts"
import { neutralised } from "../../llm/fence.ts"
import { isPlainlySaid } from "../../memory/extract/own-words/plainly-said.ts"
import type { RetrieveNeeds } from "../../memory/find/retrieve.ts"
import { confidenceAt } from "../../memory/model/decay.ts"
import type { Memory } from "../../memory/model/memory.ts"
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

/** What every session of a project should know from its first moment, prepared before it begins. */
export interface Brief {
  /** The journal's number up to which it holds. */
  entry: number
  memories: Prepared[]
  /** Memories that bring themselves up by words in a prompt. */
  watched: (Prepared & { triggers: string[] })[]
  /** What was worked on lately, a line each. */
  recent: string[]
}

/** The project a session is in, as the database knows it. */
export interface BriefScope {
  projects: readonly string[]
  root: string | null
}

const dayMs = 86_400_000
/** So much is looked at, and so much kept. */
const standingRead = 200
const standingKept = 12
const globalKept = 6
const watchedKept = 200
const recentKept = 3
const recentMs = 14 * dayMs
const sessionsShown = 3
/** What is hardly believed any more is not told unasked. */
const leastBelief = 0.25

/** How much each type belongs at the beginning of a session. */
const weightOf: Partial<Record<Memory["type"], number>> = {
  negative: 1,
  correction: 1,
  preference: 0.9,
  procedure: 0.7,
}

/** Kinds of entries that change nothing a brief tells. */
const bookkeeping = ["memory.used", "memory.verified", "memory.doubted"]

/** Gathers a project's brief: the user's own wishes for everywhere, then the project's rules, then what is new there. */
export async function gatherBrief(needs: RetrieveNeeds, scope: BriefScope, entry: number): Promise<Brief> {
  const now = needs.clock.now()
  const visible = visibleTo({ projects: scope.projects })
  const standing = await selectMemories(
    needs.db,
    sql`m.status = 'active' and m.type in ('preference', 'correction', 'negative', 'procedure') and ${visible}`,
    sql`order by m.created_at desc limit ${standingRead}`,
  )
  const best = standing
    .filter((memory) => isCertain(memory, now) && belongsHere(memory))
    .map((memory) => ({ memory, score: scoreOf(memory, now) }))
    .sort((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1))
  const everywhere = best.filter(({ memory }) => memory.scope === "global").slice(0, globalKept)
  const rules = [...everywhere, ...best.filter(({ memory }) => memory.scope !== "global")]
  const lately = await newest(needs, scope, now)
  const watched = await selectMemories(
    needs.db,
    sql`m.triggers is not null and m.status = 'active' and ${visible}`,
    sql`order by m.seq desc limit ${watchedKept}`,
  )
  const shown = [...rules.slice(0, standingKept), ...lately.map((memory) => ({ memory, score: 0.3 }))]
  return {
    entry,
    memories: shown.map(({ memory, score }) => toPrepared(memory, score, ["project"], 0)),
    watched: watched.map((memory) => ({ ...toPrepared(memory, 0.95, [], 0), triggers: memory.triggers })),
    recent: await recentSessions(needs, scope),
  }
}

/** How something is done in one repository is of no use in another. */
function belongsHere({ type, scope }: Memory): boolean {
  return type !== "procedure" || scope !== "global"
}

/** What was only guessed, once, is nobody's rule. */
function isCertain(memory: Memory, now: number): boolean {
  const isGuess = memory.source === "inferred" && memory.strength <= 1
  return !isGuess && confidenceAt(memory, now) >= leastBelief
}

function scoreOf(memory: Memory, now: number): number {
  const near = memory.scope === "project" ? 1 : 0.8
  const often = 1 + 0.1 * Math.log2(memory.strength)
  const score = confidenceAt(memory, now) * (weightOf[memory.type] ?? 0.5) * near * often
  return Math.round(Math.min(1, score) * 1000) / 1000
}

/** The newest of what was learned in the project itself. */
async function newest({ db }: RetrieveNeeds, { projects }: BriefScope, now: number): Promise<Memory[]> {
  if (projects.length === 0) return []
  const found = await selectMemories(
    db,
    sql`m.project in ${sqlList(projects)} and m.scope = 'project' and m.status = 'active' and m.audience is null
      and m.created_at > ${now - recentMs} and m.type in ('fact', 'observation', 'entity')`,
    sql`order by m.created_at desc, m.id limit ${4 * recentKept}`,
  )
  return found.filter((memory) => isCertain(memory, now)).slice(0, recentKept)
}

/** What was worked on lately, and what came of it. */
async function recentSessions({ db, screen }: RetrieveNeeds, scope: BriefScope): Promise<string[]> {
  if (scope.projects.length === 0) return []
  const found = await listSessions(db, { projects: scope.projects, isTitled: true, limit: sessionsShown })
  const lines = await Promise.all(
    found.map(async (session) => {
      const { title: given, tool, updatedAt } = session
      if (given === null || !isPlainlySaid(given)) return []
      const said = `${given}\n${await outcomeOf(db, session)}`
      const text = await screened(screen, said, scope.root)
      const [title = "", outcome = ""] = text?.split("\n") ?? []
      const shown = [
        shorten(neutralised(title), 120),
        ...(outcome ? [shorten(neutralised(outcome), 160)] : []),
      ]
      return title === "" ? [] : [`- Worked on ${dayOf(updatedAt)} in ${tool}: ${shown.join(" Outcome: ")}`]
    }),
  )
  return lines.flat()
}

/** How a session ended: the first sentence of the agent's last words, or that it broke off. */
async function outcomeOf(db: Reader, { id, status }: Session): Promise<string> {
  if (status === "crashed") return "it broke off."
  const [last] = await turnsOf(db, id, { roles: ["assistant"], newest: true, limit: 1 })
  const [sentence = ""] = /^[^\n]{3,400}?(?:[.!?](?=\s|$)|$)/m.exec(last?.text.trim() ?? "") ?? []
  return sentence.trim()
}

/** A text without what may not be shown; undefined if nothing of it may. */
export async function screened(
  screen: Screen,
  text: string,
  projectRoot: string | null,
): Promise<string | undefined> {
  const result = await screen.check(text, { projectRoot })
  return result.outcome === "refused" ? undefined : result.text
}

/** Whether anything happened since that a brief would tell. */
export async function isStale({ db }: Pick<RetrieveNeeds, "db">, { entry }: Brief): Promise<boolean> {
  const where: Sql = sql`kind not in ${sqlList(bookkeeping)}`
  const [newer] = await readJournal(db, { after: entry, kind: ["memory.", "session."], where, limit: 1 })
  return newer !== undefined
}
