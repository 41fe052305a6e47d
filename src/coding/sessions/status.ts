import type { Phase, SessionStatus } from "../../sessions/session.ts"
import type { ProcessState } from "./session-source.ts"

interface StatusInput {
  phase: Phase | undefined
  process: ProcessState
  /** The time of the last change of its file. */
  changedAt: number
  now: number
}

/** A session counts as active for this long after its last change. */
const activeMs = 5 * 60_000
/** A session does not count as over before this much quiet: its process may just be starting. */
export const settleMs = 20_000
/** If the state of the process is unknown, a session is closed after this much quiet. */
const overMs = 2 * 3_600_000
/** In the middle of work, it counts as crashed after this much. */
const crashedMs = 30 * 60_000

/** The status of a session, from its tool's own record, its process and the time since its last change. */
export function judgeStatus({ phase, process, changedAt, now }: StatusInput): SessionStatus {
  if (phase === "closed" || phase === "crashed") return phase
  const quietMs = now - changedAt
  if (process.state === "alive") return process.isBusy || quietMs < activeMs ? "active" : "idle"
  if (quietMs < settleMs) return "active"
  switch (process.state) {
    case "ended":
      return "closed"
    case "crashed":
      return "crashed"
    case "gone":
      return phase === "working" ? "crashed" : "closed"
    default:
      return judgeByTime(phase, quietMs)
  }
}

function judgeByTime(phase: Phase | undefined, quietMs: number): SessionStatus {
  if (phase === "working" && quietMs >= crashedMs) return "crashed"
  if (quietMs >= overMs) return "closed"
  return quietMs < activeMs ? "active" : "idle"
}
