import type { Reduce } from "../../../src/chat/conversation/reduce.ts"
import type { CommunityState } from "../../../src/chat/initiative/community.ts"
import type { InitiativeRules } from "../../../src/chat/initiative/rules.ts"
import type { Thought } from "../../../src/chat/initiative/thought.ts"
import { withFault } from "../simulation/faults.ts"
import { type MediaFault, type MediaPlant, mediaPlants } from "./media-faults.ts"
import type { ThoughtInvariant } from "./watch.ts"

type Plant = (rules: InitiativeRules) => Partial<InitiativeRules>

const withThought = (
  state: CommunityState,
  change: (thought: Thought) => Partial<Thought>,
): CommunityState => ({
  ...state,
  thought: state.thought && { ...state.thought, ...change(state.thought) },
})

/** The rules of thoughts of its own, each time with one thing about them wrong. */
const plants = {
  "forgets the day's cap": (rules) => ({
    tick: (state, situation, settings, now) =>
      rules.tick(state, situation, { ...settings, maxPostsPerDay: 1000 }, now),
  }),
  "forgets the day's posts at a restart": (rules) => ({
    recover(state, found, at) {
      const changed = rules.recover(state, found, at)
      return { ...changed, state: { ...changed.state, posts: [] } }
    },
  }),
  "forgets the gap": (rules) => ({
    tick: (state, situation, settings, now) =>
      rules.tick(state, situation, { ...settings, minGapMs: 0 }, now),
  }),
  "looks at once after a restart": (rules) => ({
    recover(state, found, at) {
      const changed = rules.recover(state, found, at)
      return { ...changed, state: { ...changed.state, consideredAt: null, postedAt: null } }
    },
  }),
  "puts off the end of a thought": (rules) => ({
    tick: (state, situation, settings, now) =>
      rules.tick(
        withThought(state, ({ expiresAt }) => ({
          createdAt: now.at,
          expiresAt: Math.max(expiresAt, now.at + settings.holdMs / 2),
        })),
        situation,
        settings,
        now,
      ),
  }),
  "thinks in quiet hours": (rules) => ({
    tick: (state, situation, settings, now) =>
      rules.tick(state, situation, { ...settings, afterQuiet: (at) => at }, now),
  }),
  "knows no daylight saving": (rules) => ({
    tick(state, situation, settings, now) {
      // As the clocks were at the beginning of the year: an hour off in summer.
      const winter = Date.UTC(2026, 0, 5) + (now.at % 86_400_000)
      const isQuiet = settings.afterQuiet(winter) > winter
      return rules.tick(state, situation, { ...settings, afterQuiet: (at) => (isQuiet ? at + 1 : at) }, now)
    },
  }),
  "looks at a held thought each time": (rules) => ({
    tick: (state, situation, settings, now) =>
      rules.tick(
        withThought(state, () => ({ calls: 1, revisitAt: { changed: 0, unchanged: 0 } })),
        situation,
        settings,
        now,
      ),
  }),
  "counts no calls": (rules) => ({
    begin(state, kind, now) {
      const changed = rules.begin(state, kind, now)
      return { ...changed, state: withThought(changed.state, ({ calls }) => ({ calls: calls - 1 })) }
    },
  }),
  "asks a failing model again at once": (rules) => ({
    fail(state, reason, at) {
      const changed = rules.fail(state, reason, at)
      return { ...changed, state: { ...changed.state, retryAt: 0 } }
    },
  }),
  "lets a held thought keep all communities waiting": (rules) => {
    const holding = new Set<string>()
    return {
      tick(state, situation, settings, now) {
        const { community } = state
        if (state.thought === null) holding.delete(community)
        else holding.add(community)
        const result = rules.tick(state, situation, settings, now)
        if (state.thought !== null || holding.size === 0 || result.verdict.go === "nothing") return result
        const refusal = { gate: "held thought", reason: "Another community has one." } as const
        return { ...result, verdict: { go: "nothing", refusal } }
      },
    }
  },
  "counts the gap for all communities together": (rules) => {
    let last = Number.NEGATIVE_INFINITY
    return {
      begin(state, kind, now) {
        last = now.at
        return rules.begin(state, kind, now)
      },
      tick: (state, situation, settings, now) =>
        rules.tick(
          { ...state, consideredAt: Math.max(last, state.consideredAt ?? last) },
          situation,
          settings,
          now,
        ),
    }
  },
  "says again what was on its way": (rules) => ({
    recover: (state, found, at) =>
      rules.recover(state, found && { outcome: "kept back", reason: "Who knows." }, at),
  }),
  "takes what may have left for kept back": (rules) => ({
    delivered: (state, key, delivery, reason, at) =>
      rules.delivered(
        state,
        key,
        delivery.outcome === "unknown" ? { outcome: "kept back", reason: delivery.reason } : delivery,
        reason,
        at,
      ),
  }),
  "loses its thoughts at a restart": (rules) => ({
    recover(state, found, at) {
      const changed = rules.recover(state, found, at)
      return { ...changed, state: { ...changed.state, thought: null } }
    },
  }),
  "waits for a look of the life before": (rules) => ({
    recover(state, found, at) {
      const changed = rules.recover(state, found, at)
      return { ...changed, state: { ...changed.state, underWay: state.underWay } }
    },
  }),
} satisfies Record<string, Plant>

/** Faults of the room that a thought is said in. */
const roomPlants: Record<
  "interrupts an exchange" | "posts twice" | "begins subjects anywhere",
  (reduce: Reduce) => Reduce
> = {
  "interrupts an exchange": (reduce) => (state, event, settings) =>
    reduce(event.kind === "say" ? { ...state, active: null } : state, event, settings),
  "posts twice": (reduce) => withFault(reduce, "posts twice"),
  "begins subjects anywhere": (reduce) => withFault(reduce, "speaks unasked anywhere"),
}

export type ThoughtFault = keyof typeof plants | keyof typeof roomPlants | MediaFault

/** Every planted fault, and what it breaks. */
export const thoughtFaults: Record<ThoughtFault, ThoughtInvariant> = {
  "forgets the day's cap": "posts per day",
  "forgets the day's posts at a restart": "posts per day",
  "forgets the gap": "minutes between posts",
  "looks at once after a restart": "minutes between posts",
  "puts off the end of a thought": "nothing is said after its time",
  "thinks in quiet hours": "nothing is said in quiet hours",
  "knows no daylight saving": "nothing is said in quiet hours",
  "looks at a held thought each time": "calls for a held thought",
  "counts no calls": "calls for a held thought",
  "asks a failing model again at once": "a failing model is left alone",
  "lets a held thought keep all communities waiting": "each community has its turn",
  "counts the gap for all communities together": "each community has its turn",
  "says again what was on its way": "nothing is said twice",
  "takes what may have left for kept back": "nothing is said twice",
  "loses its thoughts at a restart": "no thought is lost",
  "waits for a look of the life before": "every look ends",
  "interrupts an exchange": "never in an exchange",
  "posts twice": "nothing is said twice",
  "begins subjects anywhere": "only where it may",
  "gives answers and thoughts a media budget each": "media budgets",
  "forgets at a restart what was being made": "media budgets",
  "counts media only when they are there": "media budgets",
  "gives back what a failing server may have made": "media budgets",
  "counts media by the day of the calendar": "media budgets",
  "keeps what nothing came of from the media budget": "media budgets",
}

export function mediaPlantOf(fault: ThoughtFault | undefined): MediaPlant {
  return fault !== undefined && isOfMedia(fault) ? mediaPlants[fault] : {}
}

/** Whether only lives with media can show it. */
export function isOfMedia(fault: ThoughtFault): fault is MediaFault {
  return fault in mediaPlants
}

export function rulesWith(rules: InitiativeRules, fault: ThoughtFault | undefined): InitiativeRules {
  const plant: Plant | undefined =
    fault !== undefined && fault in plants ? plants[fault as keyof typeof plants] : undefined
  return plant === undefined ? rules : { ...rules, ...plant(rules) }
}

export function roomWith(reduce: Reduce, fault: ThoughtFault | undefined): Reduce {
  return fault !== undefined && fault in roomPlants
    ? roomPlants[fault as keyof typeof roomPlants](reduce)
    : reduce
}
