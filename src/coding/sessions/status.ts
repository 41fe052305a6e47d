import type { Phase, SessionStatus } from "../../sessions/session.ts"
import type { Life } from "./session-source.ts"

interface Signs {
  phase: Phase | undefined
  life: Life
  /** When its file last changed. */
  changedAt: number
  now: number
}

/** So long after the last change a session counts as going on. */
const activeMs = 5 * 60_000
/** A process may be between two files, or just about to begin: nothing is called over before this much quiet. */
export const settleMs = 20_000
/** Where nobody can tell whether a program still runs, this much quiet ends a session. */
const overMs = 2 * 3_600_000
/** And this much, in the middle of work, means that it broke off. */
const brokenMs = 30 * 60_000

/** How a session stands, from what its tool says, from its process, and from the time since anything happened. */
export function judgeStatus({ phase, life, changedAt, now }: Signs): SessionStatus {
  if (phase === "closed" || phase === "crashed") return phase
  const quietMs = now - changedAt
  if (life.life === "alive") return life.isBusy || quietMs < activeMs ? "active" : "idle"
  if (quietMs < settleMs) return "active"
  switch (life.life) {
    case "ended":
      return "closed"
    case "left":
      return "crashed"
    case "gone":
      return phase === "working" ? "crashed" : "closed"
    default:
      return judgeByTime(phase, quietMs)
  }
}

function judgeByTime(phase: Phase | undefined, quietMs: number): SessionStatus {
  if (phase === "working" && quietMs >= brokenMs) return "crashed"
  if (quietMs >= overMs) return "closed"
  return quietMs < activeMs ? "active" : "idle"
}
