import type { ConsiderOutcome } from "../../../src/activities/initiate/consider-community.ts"
import { markOf } from "../../../src/activities/initiate/gather.ts"
import type { InitiatingNeeds } from "../../../src/activities/initiate/initiating.ts"
import type { Clock } from "../../../src/base/clock.ts"
import type { MediaKind } from "../../../src/chat/media/plan.ts"
import type { Draw } from "../../draw.ts"

const manners = [
  ...(["posts", "posts", "posts", "holds", "holds", "holds", "holds", "drops"] as const),
  ...(["fails", "throws", "times out"] as const),
]

type Look = InitiatingNeeds["consider"]

interface Options {
  draw: Draw
  /** The kinds of media that thoughts come with, and how many of three thoughts do. */
  kinds: readonly MediaKind[]
  mediaOf3: number
  /** Hears of each look: how often the model is asked in it, and when it is over. */
  onLook(given: Parameters<Look>, calls: number): () => void
}

/** A model that is shown a community: it posts, holds, drops, fails, and takes its time. */
export function createThinker({ draw, kinds, mediaOf3, onLook }: Options) {
  let isCalm = false
  let made = 0
  return {
    calm() {
      isCalm = true
    },
    look:
      (clock: Clock, life: { isDead(): boolean; timeoutMs: number }): Look =>
      // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one list of manners reads best in one place
      async (rooms, options) => {
        if (life.isDead()) return new Promise(() => {})
        const { thought } = options
        const calls = thought === null ? draw.pick([1, 1, 2, 4, 7]) : 1
        const over = onLook([rooms, options], calls)
        const manner = isCalm ? "posts" : draw.pick(manners)
        const mark = markOf(rooms)
        made += 1
        const ms = manner === "times out" ? life.timeoutMs : draw.number(1, draw.pick([500, life.timeoutMs]))
        await new Promise<void>((resolve) => clock.after(ms, resolve))
        over()
        if (life.isDead()) return new Promise(() => {})
        const spent = { calls, usd: 0.001, tokens: { input: 0, output: 0 } }
        const failed = (reason: string): ConsiderOutcome => ({ outcome: "failed", reason, ...spent })
        if (manner === "throws") throw new Error("the model fell over")
        if (manner === "fails") return failed("overloaded")
        if (manner === "times out") return failed("It took too long.")
        const answered = { outcome: "answered" as const, mark, sources: [], hasReadWeb: false, ...spent }
        if (manner === "drops") return { ...answered, answer: { action: "drop", reason: "nothing" } }
        const media = draw.number(1, 3) <= mediaOf3 ? { kind: draw.pick(kinds), prompt: "a fern" } : null
        const { room } = draw.pick(rooms)
        const kept = { room, replyTo: null, text: `idea ${made} of its own`, media, reason: "because" }
        return { ...answered, answer: { action: manner === "posts" ? "post" : "hold", ...kept } }
      },
  }
}
