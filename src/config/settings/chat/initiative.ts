import { z } from "zod"
import { isTimeZone, key, matching, modelName, quietHours, table } from "../../key.ts"
import { discovery } from "./discovery.ts"
import { media, mediaKeys } from "./media.ts"

/** The time zone of a community: PLATFORM/COMMUNITY=ZONE. */
const zoneOfCommunity = /^[^=]{1,200}=[A-Za-z0-9_+/-]{1,60}$/

function isZoneOfCommunity(entry: string): boolean {
  return zoneOfCommunity.test(entry) && isTimeZone(entry.slice(entry.lastIndexOf("=") + 1))
}

const text = table({
  enabled: key(z.boolean().default(true), {
    help: "Whether the bot may think of something to say by itself. It does so only in channels of chat.policy.discovery_channels, so it costs nothing while that list is empty.",
  }),
  execution: key(z.enum(["inherit", "dedicated", "disabled"]).default("inherit"), {
    help: "Which model thinks: inherit uses models.chat, dedicated uses chat.initiative.text.model, disabled uses none, and nothing is said.",
  }),
  model: key(matching(modelName), {
    help: "The model that thinks if execution is dedicated, in the same form as models.chat.",
    expects: "the name of a model, or empty",
  }),
  eagerness: key(z.int().min(0).max(100).default(20), {
    help: "How soon, once min_minutes_between_posts has passed, the bot considers saying something. The wait is random, on average 100/eagerness − 1 hours: 4 h with 20, 1 h with 50, none with 100. 0 means never.",
  }),
  min_minutes_between_posts: key(z.number().min(1).max(1440).default(360), {
    help: "How many minutes the bot leaves a community alone after it posted something of its own, or considered it and said nothing.",
  }),
  max_posts_per_day: key(z.int().min(0).max(100).default(3), {
    help: "How many posts of its own the bot makes in one community within 24 hours. 0 makes none.",
  }),
  lookback_messages: key(z.int().min(4).max(80).default(20), {
    help: "How many of the newest messages of each channel the model is shown.",
  }),
  allow_active_curiosity: key(z.boolean().default(true), {
    help: "Whether the bot may search the web and read pages before it says something: web_search, web_scrape, browser_browse.",
  }),
  max_tool_steps: key(z.int().min(0).max(8).default(3), {
    help: "In how many turns the model may use tools before it must answer. 0 gives it no tools.",
  }),
  max_tool_calls: key(z.int().min(0).max(12).default(4), {
    help: "The maximum number of tool calls for one thought. 0 gives it no tools.",
  }),
  tick_seconds: key(z.number().min(1).max(600).default(60), {
    help: "How often the bot checks whether it is time to think. This does not change how often it thinks.",
  }),
  timeout_seconds: key(z.number().min(5).max(600).default(120), {
    help: "How many seconds one thought may take, including tools, before it is cancelled.",
  }),
  hold_hours: key(z.number().min(0.25).max(48).default(6), {
    help: "How many hours a thought may be kept for a better moment before it is dropped, counted from when it was first thought. It is reconsidered when people have written something, the first time after a 72nd of that time.",
  }),
  ...quietHours({
    start:
      "The time, such as 22:00, from which the bot posts nothing of its own. Empty means no quiet hours.",
    end: "The time, such as 07:30, at which the quiet hours end.",
    zone: "The time zone of the quiet hours. Empty uses the machine's.",
  }),
  time_zones: key(z.array(z.string().refine(isZoneOfCommunity)).max(1000).default([]), {
    help: "Communities whose quiet hours are in another time zone, each PLATFORM/COMMUNITY=ZONE.",
    expects: 'a list of entries such as "discord/1490282656913559673=Asia/Tokyo"',
  }),
})

/** The section `[chat.initiative]`: posts that the bot makes by itself. */
export const initiative = table({ text, discovery: discovery.unwrap().extend(mediaKeys).prefault({}), media })
