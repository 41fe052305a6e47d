import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { configSchema } from "../../../src/config/schema.ts"
import { discoveryTurns } from "../../../testkit/chat/settings/discovery.ts"
import { mediaTurns } from "../../../testkit/chat/settings/media.ts"
import { textTurns } from "../../../testkit/chat/settings/text.ts"
import { everySetting, sectionsWith, type Turn } from "../../../testkit/chat/settings/turn.ts"

const turns: readonly Turn[] = [...textTurns, ...discoveryTurns, ...mediaTurns]

test("every setting of chat.initiative is turned by a case below, and no other", () => {
  expect(turns.map(([path]) => path).toSorted()).toEqual(everySetting().toSorted())
})

test.each(turns)(
  "turning %s changes what is seen",
  async (path, look, [value, seen], [otherValue, otherSeen]) => {
    expect(seen).not.toEqual(otherSeen)
    expect(await look(sectionsWith(path, value))).toEqual(seen)
    expect(await look(sectionsWith(path, otherValue))).toEqual(otherSeen)
  },
)

/** The settings of the text cycle and of discovery as seed 001 lists them, in snake case. */
const seed = {
  text: [
    ...["enabled", "execution", "eagerness", "min_minutes_between_posts", "max_posts_per_day"],
    ...["lookback_messages", "allow_active_curiosity", "max_tool_steps", "max_tool_calls"],
  ],
  discovery: [
    ...["sources", "reddit_subreddits", "rss_feeds", "youtube_channel_ids", "x_handles", "x_bridge_url"],
    ...[
      "freshness_hours",
      "dedupe_hours",
      "source_fetch_limit",
      "allow_self_curation",
      "max_sources_per_type",
    ],
    ...["allow_nsfw", "randomness", "max_candidates_for_prompt", "allow_image_posts", "allow_video_posts"],
    ...["allow_reply_images", "allow_reply_videos", "allow_reply_gifs", "max_images_per_day"],
    ...["max_videos_per_day", "max_gifs_per_day", "allowed_image_models", "allowed_video_models"],
    ...["max_media_prompt_chars", "max_links_per_post"],
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
