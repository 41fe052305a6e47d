import type { Clock } from "../../base/clock.ts"
import { within } from "../../base/within.ts"
import type { ModelAccess } from "../choice/access.ts"

/** Gives up a call that takes too long, for ways of which nothing is heard before they are done. */
export function limitTime(access: ModelAccess, clock: Clock, ms: number): ModelAccess {
  return {
    id: access.id,
    ask: (question) =>
      within(clock, ms, question.signal, async (signal, isLate) => {
        const answer = await access.ask({ ...question, signal })
        if (!isLate() || question.signal.aborted || answer.outcome === "answered") return answer
        return { ...answer, failure: { kind: "timeout", message: `${access.id} did not answer in time.` } }
      }),
  }
}
