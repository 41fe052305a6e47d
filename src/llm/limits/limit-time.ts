import type { Clock } from "../../base/clock.ts"
import { withTimeout } from "../../base/with-timeout.ts"
import type { ModelAccess } from "../choice/access.ts"

/** Cancels calls that take longer than `ms`. */
export function limitTime(access: ModelAccess, clock: Clock, ms: number): ModelAccess {
  return {
    id: access.id,
    ask: (question) =>
      withTimeout(clock, ms, question.signal, async (signal, isLate) => {
        const answer = await access.ask({ ...question, signal })
        if (!isLate() || question.signal.aborted || answer.outcome === "answered") return answer
        return { ...answer, failure: { kind: "timeout", message: `${access.id} did not answer in time.` } }
      }),
  }
}
