import { listCycles } from "../../../attention/cycles.ts"
import { isoTime } from "../../../base/clock.ts"
import { shorten } from "../../../base/text/text.ts"
import { readGitActivity } from "../../../coding/git/activity.ts"
import { totalOf } from "../../../llm/ledger.ts"
import { statsOf } from "../../../memory/history/stats.ts"
import { recentProjects } from "../../../memory/model/known-projects.ts"
import type { MemoryCore } from "../../../memory/model/memory-core.ts"
import { selectMemories } from "../../../memory/model/store/store.ts"
import { presence } from "../../../sessions/presence.ts"
import { listSessions } from "../../../sessions/sessions.ts"
import type { InstallCore } from "../../../storage/core.ts"
import type { Database } from "../../../storage/database.ts"
import { sql } from "../../../storage/sql.ts"
import { feedbackTag } from "../feedback.ts"
import type { Surroundings } from "../run.ts"

const mostSessions = 20
const mostFeedback = 10
/** How far back the first cycle reads. */
const firstLookMs = 7 * 86_400_000

/** Reads what the agent should know before it tends: sessions, repositories, the memory's state, feedback. */
export async function scout(
  needs: MemoryCore & InstallCore,
  since: number | null,
  unseen: ReadonlySet<string>,
): Promise<Surroundings> {
  const { db, clock, install } = needs
  const now = clock.now()
  const found = await listSessions(db, {
    install,
    updatedSince: since ?? now - firstLookMs,
    limit: mostSessions,
  })
  const recent = found.filter(({ project }) => !unseen.has(project ?? ""))
  const { active } = await presence(db, install, now)
  return {
    activeSessions: active.length,
    sessions: recent.map(({ id, tool, status, startedAt, updatedAt, title, turns, extractedTurns }) => ({
      id,
      tool,
      status,
      at: updatedAt,
      lengthMs: Math.max(0, updatedAt - startedAt),
      title,
      turns,
      readTurns: Math.min(turns, extractedTurns),
    })),
    repositories: await repositoriesOf(needs, recent, unseen, since ?? now - firstLookMs),
    health: await healthOf(needs),
    userTokensPerMinute: await userRate(needs, now),
    feedback: [...(await undoneCycles(db, install)), ...(await feedbackOf(db, unseen))],
  }
}

const mostLookedAt = 30
const mostRepositories = 8

/** What happened in the repositories of all projects, those with sessions first. */
async function repositoriesOf(
  needs: MemoryCore & InstallCore,
  sessions: readonly { project: string | null }[],
  unseen: ReadonlySet<string>,
  since: number,
): Promise<Surroundings["repositories"]> {
  const known = await recentProjects(needs.db, mostLookedAt)
  const all = new Set([...sessions.flatMap(({ project }) => project ?? []), ...known])
  const repositories: { project: string; news: string[] }[] = []
  for (const project of all) {
    if (repositories.length >= mostRepositories) break
    if (unseen.has(project)) continue
    const news = await readGitActivity({ ...needs, redact: needs.screen.redactSync }, project, since)
    const lines = [
      ...(news?.branches ?? []).map(({ name }) => `branch ${name}`),
      ...(news?.commits ?? []).map(({ subject }) => subject),
    ]
    if (lines.length > 0) repositories.push({ project, news: lines })
  }
  return repositories
}

const hourMs = 3_600_000

/** Tokens per minute of the user's own tools in the last hour. */
async function userRate({ db, install }: MemoryCore & InstallCore, now: number): Promise<number> {
  const { input, output } = await totalOf(db, { install, sources: ["user"], since: now - hourMs, until: now })
  return Math.round((input + output) / 60)
}

async function healthOf(needs: MemoryCore & InstallCore): Promise<Surroundings["health"]> {
  const stats = await statsOf(needs)
  const { active = 0 } = stats.status
  const cycles = await listCycles(needs.db, needs.install, 50)
  const tended = cycles.find(({ receipt }) => receipt.deeds.length > 0)
  return {
    "memories in all": `${stats.total} (${active} active)`,
    "hardly believed any more": stats.faint + stats.expired,
    "pairs that contradict each other": stats.conflicts,
    ...(stats.withoutVector === null ? {} : { "without a vector": stats.withoutVector }),
    ...(stats.newest === null ? {} : { "newest from": isoTime(stats.newest) }),
    "last changed by a cycle": tended ? isoTime(tended.startedAt) : "never",
  }
}

/** Cycles that the user undid, the newest first. */
async function undoneCycles(db: Database, install: string): Promise<string[]> {
  const cycles = await listCycles(db, install, 500)
  return cycles
    .filter(({ verdict }) => verdict === "undone")
    .slice(0, mostFeedback)
    .map(({ id, summary }) => `The user took back all of ${id}: ${shorten(summary ?? "", 200)}`)
}

async function feedbackOf(db: Database, unseen: ReadonlySet<string>): Promise<string[]> {
  const found = await selectMemories(db, sql`m.status = 'active' and m.audience = ${feedbackTag}`)
  return found
    .filter(({ tags, project }) => tags.includes(feedbackTag) && !unseen.has(project ?? ""))
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .slice(0, mostFeedback)
    .map(({ content }) => content)
}
