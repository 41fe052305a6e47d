import type { Clock } from "../../../src/base/clock.ts"
import { readDecision } from "../../../src/chat/silence/decision.ts"
import type { Think, ThinkInput, ThinkResult } from "../../../src/chat/supervisor/think.ts"
import type { Draw } from "../../draw.ts"

/** What a model that misbehaves says instead of nothing. */
const leaks = [
  "[NO_REPLY]",
  "Small talk. [NO_REPLY]",
  "`[SKIP]`",
  "NO_REPLYNO_REPLY",
  "⚠️ Agent error: reset",
  "Error: 529 Overloaded",
]
const manners = [
  "answers",
  "answers",
  "answers",
  "stays silent",
  "leaks raw",
  "leaks structured",
  "reacts",
  "holds",
  "throws",
  "is unavailable",
  "hangs",
  "hangs deaf",
] as const

export interface Model {
  /** For one life of the program. */
  think(clock: Clock, life: { isDead(): boolean }): Think
  /** How many are being asked, in the places for answers and in the others. */
  asked: { answers: number; others: number }
  calls: number
  calm(): void
}

export function createModel(draw: Draw, onAsked: (input: ThinkInput) => void): Model {
  let isCalm = false
  let said = 0
  const model: Model = {
    asked: { answers: 0, others: 0 },
    calls: 0,
    calm() {
      isCalm = true
    },
    think: (clock, life) => async (input, signal) => {
      if (life.isDead()) return new Promise(() => {})
      const lane = input.kind === "direct" || input.kind === "follow-up" ? "answers" : "others"
      model.asked[lane] += 1
      model.calls += 1
      let isCounted = true
      const uncount = () => {
        if (isCounted && !life.isDead()) model.asked[lane] -= 1
        isCounted = false
      }
      signal.addEventListener("abort", uncount, { once: true })
      onAsked(input)
      try {
        const manner = isCalm ? "answers" : draw.pick(manners)
        await new Promise<void>((resolve) => {
          if (!manner.startsWith("hangs")) clock.after(isCalm ? 1 : draw.number(1, 9000), resolve)
          if (manner !== "hangs deaf") signal.addEventListener("abort", () => resolve(), { once: true })
        })
        return thoughtOf(manner)
      } finally {
        uncount()
      }
    },
  }
  const thoughtOf = (manner: (typeof manners)[number]): ThinkResult => {
    const decided = (raw: string): ThinkResult => ({
      outcome: "decided",
      decision: readDecision(raw),
      usd: 0.001,
    })
    said += 1
    switch (manner) {
      case "stays silent":
        return decided('{"action":"silent","reason":"small talk"}')
      case "leaks raw":
        return decided(draw.pick(leaks))
      case "leaks structured":
        return {
          outcome: "decided",
          decision: { action: "reply", text: draw.pick(leaks), replyTo: null, reason: "" },
        }
      case "reacts":
        return decided('{"action":"react","emoji":"👍"}')
      case "holds":
        return decided('{"action":"hold","text":"later"}')
      case "throws":
        throw new Error("Error: 500 the model fell over")
      case "is unavailable":
        return { outcome: "unavailable", reason: "Error: the model is down" }
      default:
        return decided(`Answer number ${said}.`)
    }
  }
  return model
}
