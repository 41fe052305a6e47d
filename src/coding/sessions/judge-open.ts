import { changeStatus } from "../../sessions/keep-session.ts"
import { findSession, type KnownSession, listSessions } from "../../sessions/sessions.ts"
import type { InstallCore } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import type { Life, SessionSource } from "./session-source.ts"
import { judgeStatus, settleMs } from "./status.ts"

/** Looks at every session that is not over: whether it still goes on, rests, has ended or broke off. */
export async function judgeOpenSessions(
  needs: InstallCore,
  sources: readonly SessionSource[],
  by: By,
): Promise<void> {
  const { db, clock, install } = needs
  const open = await listSessions(db, { install, statuses: ["active", "idle"] })
  const tools = new Set(open.map(({ tool }) => tool))
  for (const tool of tools) {
    // A tool that is not looked at any more leaves only time to judge by.
    const source = sources.find((one) => one.tool === tool)
    const now = clock.now()
    // What just changed is going on; looking for its process can wait.
    const own = open.filter((one) => one.tool === tool && now - (one.details.changedAt ?? 0) >= settleMs)
    const lives = await livesOf(source, own)
    for (const [index, session] of own.entries()) {
      const life = lives[index] ?? { life: "unknown" }
      const { phase, changedAt = session.updatedAt } = session.details
      const status = judgeStatus({ phase, life, changedAt, now })
      const pid = life.life === "alive" ? life.pid : undefined
      if (status !== session.status || (pid !== undefined && pid !== session.pid))
        await put(needs, session, { status, pid }, by)
    }
  }
}

async function livesOf(
  source: SessionSource | undefined,
  sessions: readonly KnownSession[],
): Promise<Life[]> {
  if (source?.lives === undefined || sessions.length === 0) return []
  return source.lives(
    sessions.map(({ nativeId, pid, details }) => ({ nativeId, pid, location: details.place ?? "" })),
  )
}

/** A session that went on since it was looked at is left alone. */
async function put(
  { db, clock }: InstallCore,
  seen: KnownSession,
  change: Parameters<typeof changeStatus>[3],
  by: By,
): Promise<void> {
  await db.write(async (transaction) => {
    const session = await findSession(transaction, seen.id)
    const isSame = session?.details.changedAt === seen.details.changedAt && session?.status === seen.status
    if (session && isSame) await changeStatus(transaction, { now: clock.now(), by }, session, change)
  })
}
