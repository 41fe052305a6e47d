import type { Clock } from "../../base/clock.ts"
import type { ModelAccess } from "../choice/access.ts"

/** Gives up a call that takes too long, for ways of which nothing is heard before they are done. */
export function limitTime(access: ModelAccess, clock: Clock, ms: number): ModelAccess {
  return {
    id: access.id,
    async ask(question) {
      const tooLong = new AbortController()
      const cancel = clock.after(ms, () => tooLong.abort())
      try {
        const answer = await access.ask({
          ...question,
          signal: AbortSignal.any([question.signal, tooLong.signal]),
        })
        const isLate = tooLong.signal.aborted && !question.signal.aborted
        if (!isLate || answer.outcome === "answered") return answer
        const message = `${access.id} did not answer in time.`
        return { ...answer, failure: { kind: "timeout", message } }
      } finally {
        cancel()
      }
    },
  }
}
