import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { newCommunity } from "../../../src/chat/initiative/community.ts"
import { initiativeSettings } from "../../../src/chat/initiative/settings.ts"
import { tick } from "../../../src/chat/initiative/tick.ts"
import { configSchema } from "../../../src/config/schema.ts"

const room = { platform: "p", community: "c", channel: "hall", thread: null }
const hour = 3_600_000
const at = 100 * hour

/** Which gate refuses with some settings, an hour after it last looked and spoke once; "fresh" where none does. */
function verdictWith(text: Record<string, unknown>): string {
  const { initiative } = configSchema.parse({ chat: { initiative: { text } } }).chat
  const state = {
    ...newCommunity(room),
    ...{ consideredAt: at - hour, postedAt: at - hour, posts: [at - hour] },
  }
  const situation = { channels: [room], busy: new Set<string>(), mark: null }
  const { verdict } = tick(state, situation, initiativeSettings(initiative, "p/c"), { at, chance: 0.5 })
  return verdict.go === "nothing" ? verdict.refusal.gate : verdict.go
}

const open = { eagerness: 100, min_minutes_between_posts: 30 }

test.each([
  ["enabled", false, "enabled"],
  ["execution", "disabled", "enabled"],
  ["eagerness", 20, "eagerness"],
  ["min_minutes_between_posts", 61, "min minutes between posts"],
  ["max_posts_per_day", 1, "max posts per day"],
])("turning %s to %s closes its gate", (name, value, gate) => {
  expect(verdictWith(open)).toBe("fresh")
  expect(verdictWith({ ...open, [name]: value })).toBe(gate)
})

/** The settings of the text cycle and of discovery that are not about media, as seed 001 lists them, in snake case. */
const seed = {
  text: [
    ...["enabled", "execution", "eagerness", "min_minutes_between_posts", "max_posts_per_day"],
    ...["lookback_messages", "allow_active_curiosity", "max_tool_steps", "max_tool_calls"],
  ],
  discovery: [
    ...["sources", "reddit_subreddits", "rss_feeds", "youtube_channel_ids", "x_handles"],
    ...[
      "freshness_hours",
      "dedupe_hours",
      "source_fetch_limit",
      "allow_self_curation",
      "max_sources_per_type",
    ],
  ],
}

test("every setting of the original is there under its name, and documented", () => {
  const { initiative } = configSchema.parse({}).chat
  const docs = readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8")
  for (const part of ["text", "discovery"] as const) {
    for (const name of seed[part]) {
      expect(initiative[part]).toHaveProperty(name)
      expect(docs).toContain(`chat.initiative.${part}.${name}`)
    }
  }
})
