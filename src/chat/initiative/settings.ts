import { openQuietHours } from "../../base/quiet-hours.ts"
import type { Config } from "../../config/schema.ts"

/** The settings of posts of its own in one community; times in milliseconds. */
export interface InitiativeSettings {
  isEnabled: boolean
  /** Whether a model may be asked at all. */
  mayAsk: boolean
  eagerness: number
  minGapMs: number
  maxPostsPerDay: number
  /** How long a thought may be held after it was created. */
  holdMs: number
  /** The first time at or after `at` that is outside the community's quiet hours. */
  afterQuiet(at: number): number
}

export function initiativeSettings(
  { text }: Config["chat"]["initiative"],
  community: string,
): InitiativeSettings {
  return {
    isEnabled: text.enabled,
    mayAsk: text.execution !== "disabled",
    eagerness: text.eagerness,
    minGapMs: text.min_minutes_between_posts * 60_000,
    maxPostsPerDay: text.max_posts_per_day,
    holdMs: text.hold_hours * 3_600_000,
    afterQuiet: openQuietHours({ ...text, time_zone: zoneOf(text, community) }),
  }
}

function zoneOf({ time_zone, time_zones }: Config["chat"]["initiative"]["text"], community: string): string {
  const own = time_zones.find((entry) => entry.slice(0, entry.lastIndexOf("=")) === community)
  return own === undefined ? time_zone : own.slice(own.lastIndexOf("=") + 1)
}
