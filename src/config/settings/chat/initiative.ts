import { z } from "zod"
import { isTimeZone, key, modelName, table, timeOfDay } from "../../key.ts"
import { discovery } from "./discovery.ts"
import { media, mediaKeys } from "./media.ts"

/** Where a community is, for its quiet hours: PLATFORM/COMMUNITY=ZONE. */
const zoneOfCommunity = /^[^=]{1,200}=[A-Za-z0-9_+/-]{1,60}$/

function isZoneOfCommunity(entry: string): boolean {
  return zoneOfCommunity.test(entry) && isTimeZone(entry.slice(entry.lastIndexOf("=") + 1))
}

const text = table({
  enabled: key(z.boolean().default(true), {
    help: "Whether it may think of something to say by itself. It does so only where chat.policy.discovery_channels names a channel, so with that list empty it costs nothing.",
  }),
  execution: key(z.enum(["inherit", "dedicated", "disabled"]).default("inherit"), {
    help: "Which model thinks: inherit takes the one of chat (models.chat), dedicated the one in chat.initiative.text.model, disabled asks none, and nothing is said.",
  }),
  model: key(z.string().regex(modelName).default(""), {
    help: "The model that thinks where execution is dedicated, as models.chat names one.",
    expects: "the name of a model, or empty",
  }),
  eagerness: key(z.int().min(0).max(100).default(20), {
    help: "How soon, once min_minutes_between_posts has passed, it looks whether it has something to say. It waits by chance, on average 100/eagerness − 1 hours: 4 h with 20, 1 h with 50, at once with 100. 0 never looks.",
  }),
  min_minutes_between_posts: key(z.number().min(1).max(1440).default(360), {
    help: "How long it leaves a community alone after it said something of its own, or looked and said nothing.",
  }),
  max_posts_per_day: key(z.int().min(0).max(100).default(3), {
    help: "How many things of its own it says in one community within 24 hours. 0 says nothing.",
  }),
  lookback_messages: key(z.int().min(4).max(80).default(20), {
    help: "How many of the newest messages of each channel the model is shown.",
  }),
  allow_active_curiosity: key(z.boolean().default(true), {
    help: "Whether it may search the web and read pages before it says something: web_search, web_scrape, browser_browse.",
  }),
  max_tool_steps: key(z.int().min(0).max(8).default(3), {
    help: "In how many turns the model may use tools before it has to answer. 0 gives it none.",
  }),
  max_tool_calls: key(z.int().min(0).max(12).default(4), {
    help: "How many calls of tools one look may make in all. 0 gives it none.",
  }),
  tick_seconds: key(z.number().min(1).max(600).default(60), {
    help: "How often it looks whether it is time to think. How often it thinks does not depend on it.",
  }),
  timeout_seconds: key(z.number().min(5).max(600).default(120), {
    help: "How long one look may take, tools included. Then it is stopped.",
  }),
  hold_hours: key(z.number().min(0.25).max(48).default(6), {
    help: "How long a thought may be kept for a better moment, counted from when it was first thought. Then it is dropped. It is looked at again when people said something, at first after a 72nd of that time.",
  }),
  quiet_start: key(z.string().regex(timeOfDay).default(""), {
    help: "When it stops saying things of its own for the night, such as 22:00. Empty for no quiet hours.",
    expects: "a time such as 22:00, or empty",
  }),
  quiet_end: key(z.string().regex(timeOfDay).default(""), {
    help: "When the quiet hours end, such as 07:30.",
    expects: "a time such as 07:30, or empty",
  }),
  time_zone: key(z.string().refine(isTimeZone).default(""), {
    help: "The time zone of the quiet hours. Empty takes the machine's.",
    expects: "a time zone such as Europe/Berlin, or empty",
  }),
  time_zones: key(z.array(z.string().refine(isZoneOfCommunity)).max(1000).default([]), {
    help: "Communities whose quiet hours are in another time zone, each PLATFORM/COMMUNITY=ZONE.",
    expects: 'a list of entries such as "discord/1490282656913559673=Asia/Tokyo"',
  }),
})

/** Thoughts of its own: when it thinks, what it may do for it, and what it reads. */
export const initiative = table({ text, discovery: discovery.unwrap().extend(mediaKeys).prefault({}), media })
