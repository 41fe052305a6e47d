import { changeStatus } from "../../sessions/save-session.ts"
import { findSession, type KnownSession, listSessions } from "../../sessions/sessions.ts"
import type { InstallCore } from "../../storage/core.ts"
import type { By } from "../../storage/journal.ts"
import type { ProcessState, SessionSource } from "./session-source.ts"
import { judgeStatus, settleMs } from "./status.ts"

/** Updates the status of every open session: active, idle, closed or crashed. */
export async function judgeOpenSessions(
  needs: InstallCore,
  sources: readonly SessionSource[],
  by: By,
): Promise<void> {
  const { db, clock, install } = needs
  const open = await listSessions(db, { install, statuses: ["active", "idle"] })
  const tools = new Set(open.map(({ tool }) => tool))
  for (const tool of tools) {
    // If the tool is not read any more, only time decides.
    const source = sources.find((one) => one.tool === tool)
    const now = clock.now()
    // A session that just changed is active; its process need not be checked yet.
    const own = open.filter((one) => one.tool === tool && now - (one.details.changedAt ?? 0) >= settleMs)
    const states = await processStatesOf(source, own)
    for (const [index, session] of own.entries()) {
      const process = states[index] ?? { state: "unknown" }
      const { phase, changedAt = session.updatedAt } = session.details
      const status = judgeStatus({ phase, process, changedAt, now })
      const pid = process.state === "alive" ? process.pid : undefined
      if (status !== session.status || (pid !== undefined && pid !== session.pid))
        await saveStatus(needs, session, { status, pid }, by)
    }
  }
}

async function processStatesOf(
  source: SessionSource | undefined,
  sessions: readonly KnownSession[],
): Promise<ProcessState[]> {
  if (source?.processStates === undefined || sessions.length === 0) return []
  return source.processStates(
    sessions.map(({ nativeId, pid, details }) => ({ nativeId, pid, location: details.place ?? "" })),
  )
}

/** Saves a status unless the session changed in the meantime. */
async function saveStatus(
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
