import type { Effect } from "../../../src/chat/conversation/effect.ts"
import type { Reduce } from "../../../src/chat/conversation/reduce.ts"
import { type Line, lineOf, roomKey } from "../../../src/chat/conversation/state.ts"

type Result = ReturnType<Reduce>

/** The reducer with one thing about it changed. */
type Plant = (reduce: Reduce) => Reduce

const withEffects =
  (change: (effect: Effect, state: Result["state"]) => Effect[]): Plant =>
  (reduce) =>
  (state, event, settings) => {
    const result = reduce(state, event, settings)
    return { ...result, effects: result.effects.flatMap((effect) => change(effect, result.state)) }
  }

const yes = { allowed: true, reason: "" }

/** Faults in a conversation, to see that each is found. */
const plants = {
  "posts twice": () => withEffects((effect) => (effect.kind === "send" ? [effect, effect] : [effect])),
  "lets the sentinel out": () => {
    let count = 0
    return withEffects((effect) =>
      effect.kind === "send" && ++count % 5 === 0 ? [{ ...effect, text: "[NO_REPLY]" }] : [effect],
    )
  },
  "forgets the cap": () => (reduce) => (state, event, settings) =>
    reduce(state, event, { ...settings, flushHardCap: 1000 }),
  "loses messages": () => {
    let count = 0
    return (reduce) => (state, event, settings) => {
      if (event.kind !== "message" || ++count % 7 > 0) return reduce(state, event, settings)
      return { state: { ...state, seen: [...state.seen, event.message.id] }, effects: [] }
    }
  },
  "takes mentions for chatter": () => (reduce) => (state, event, settings) => {
    if (event.kind !== "message" || !event.message.mentionsUs) return reduce(state, event, settings)
    const message = { ...event.message, mentionsUs: false, text: "chatter" }
    return reduce(state, { ...event, message }, settings)
  },
  "never times out": () => (reduce) => (state, event, settings) =>
    event.kind === "deadline" && state.run?.phase === "thinking"
      ? { state, effects: [] }
      : reduce(state, event, settings),
  "says again what may have left": () => (reduce) => (state, event, settings) => {
    const { run } = state
    const mayHaveLeft = run !== null && (run.phase === "sending" || run.phase === "checking")
    const isAsked = event.kind === "restarted" || event.kind === "checked"
    if (!mayHaveLeft || !isAsked) return reduce(state, event, settings)
    const restarted = { kind: "restarted", reason: "Who knows.", at: event.at, chance: event.chance } as const
    return reduce({ ...state, run: { ...run, phase: "thinking" } }, restarted, settings)
  },
  "goes on typing": () => withEffects((effect) => (effect.kind === "typing" && !effect.on ? [] : [effect])),
  "speaks unasked anywhere": () => (reduce) => (state, event, settings) =>
    reduce(state, event, {
      ...settings,
      policy: { ...settings.policy, speaksUnasked: yes, startsTopics: yes },
    }),
  "hears blocked people": () => (reduce) => (state, event, settings) =>
    reduce(state, event, { ...settings, policy: { ...settings.policy, isBlocked: () => false } }),
  "mixes rooms": () => {
    let last: { line: Line; room: string } | undefined
    return (reduce) => (state, event, settings) => {
      const room = roomKey(state.room)
      if (event.kind === "message") last ??= { line: lineOf(event.message), room }
      const other = last !== undefined && last.room !== room ? [last.line] : []
      const result = reduce(state, event, settings)
      const effects = result.effects.map((effect) =>
        effect.kind === "start-run"
          ? { ...effect, run: { ...effect.run, background: [...effect.run.background, ...other] } }
          : effect,
      )
      return { ...result, effects }
    }
  },
} satisfies Record<string, () => Plant>

/** Faults in what is around it. */
const outside = ["ignores the gate", "stores late"] as const

export type Fault = keyof typeof plants | (typeof outside)[number]
export const faults: readonly Fault[] = [...(Object.keys(plants) as (keyof typeof plants)[]), ...outside]

/** The same conversation with a fault in it. */
export function withFault(reduce: Reduce, fault: Fault | undefined): Reduce {
  const plant: (() => Plant) | undefined =
    fault !== undefined && fault in plants ? plants[fault as keyof typeof plants] : undefined
  return plant === undefined ? reduce : plant()(reduce)
}
