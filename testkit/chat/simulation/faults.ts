import type { Effect } from "../../../src/chat/conversation/effect.ts"
import type { Reduce } from "../../../src/chat/conversation/reduce.ts"

/** Faults to plant, one for each invariant, to see that it is found. */
export const faults = [
  "posts twice",
  "ignores the gate",
  "lets the sentinel out",
  "forgets the cap",
  "loses messages",
  "takes mentions for chatter",
  "never times out",
] as const
export type Fault = (typeof faults)[number]

/** The same conversation with a fault in it. */
export function withFault(reduce: Reduce, fault: Fault | undefined): Reduce {
  let count = 0
  return (state, event, settings) => {
    switch (fault) {
      case "posts twice": {
        const result = reduce(state, event, settings)
        const again = result.effects.flatMap((effect): Effect[] =>
          effect.kind === "send" ? [effect, effect] : [effect],
        )
        return { ...result, effects: again }
      }
      case "lets the sentinel out": {
        const result = reduce(state, event, settings)
        const effects = result.effects.map((effect) =>
          effect.kind === "send" && ++count % 5 === 0 ? { ...effect, text: "[NO_REPLY]" } : effect,
        )
        return { ...result, effects }
      }
      case "forgets the cap":
        return reduce(state, event, { ...settings, flushHardCap: 1000 })
      case "loses messages":
        if (event.kind === "message" && ++count % 7 === 0) {
          return { state: { ...state, seen: [...state.seen, event.message.id] }, effects: [] }
        }
        return reduce(state, event, settings)
      case "takes mentions for chatter": {
        if (event.kind !== "message" || !event.message.mentionsUs) return reduce(state, event, settings)
        const message = { ...event.message, mentionsUs: false, text: "chatter" }
        return reduce(state, { ...event, message }, settings)
      }
      case "never times out":
        if (event.kind === "deadline" && state.run?.phase === "thinking") return { state, effects: [] }
        return reduce(state, event, settings)
      default:
        return reduce(state, event, settings)
    }
  }
}
