import { z } from "zod"
import { key, table } from "../../key.ts"
import { chatChannels } from "./channels.ts"
import { initiative } from "./initiative.ts"

const list = (most: number) => z.array(z.string().trim().min(1).max(200)).max(most).default([])
const channelList = "a list of channels, each CHANNEL, PLATFORM/CHANNEL or PLATFORM/COMMUNITY/CHANNEL, or *"
const channels = (help: string) => key(list(1000), { help, expects: channelList })
const peopleList = "a list of people, each ID or PLATFORM/ID, or *"

const ambient = table({
  enabled: key(z.boolean().default(false), {
    help: "Whether the bot reads the channels of chat.policy.ambient_channels and may speak there unasked. When off, it answers only when it is addressed, and costs nothing otherwise.",
  }),
  flush_interval_seconds: key(z.number().min(1).max(86_400).default(60), {
    help: "How many seconds after the first unread message a batch is processed, randomly varied by up to a fifth so that channels are spread out. Raise it to spend less.",
  }),
  flush_max_messages: key(z.int().min(1).max(500).default(10), {
    help: "With how many unread messages a batch is processed immediately. 1 processes each message by itself.",
  }),
  flush_hard_cap: key(z.int().min(1).max(1000).default(50), {
    help: "The maximum number of unread messages of a channel. Beyond it, the oldest are dropped and the model is told how many.",
  }),
  max_concurrent_flushes: key(z.int().min(1).max(100).default(3), {
    help: "How many batches, over all channels, are processed at the same time. Answers to people who address the bot do not wait for them.",
  }),
  flush_timeout_seconds: key(z.number().min(5).max(600).default(120), {
    help: "How many seconds a model may take for a batch or an answer before it is cancelled.",
  }),
  context_window: key(z.int().min(0).max(100).default(20), {
    help: "How many earlier messages are fetched from the platform if the conversation so far is shorter. 0 fetches none.",
  }),
  instructions_file: key(z.string().max(1000).default(""), {
    help: "A text file with instructions for the bot's behaviour in channels. Its first 2,000 characters are used, and it is read again when it changes. Empty uses ambient.md next to the configuration file, if it exists.",
    expects: "the path of a file, or empty",
  }),
  debug: key(z.boolean().default(false), {
    help: "Whether the journal also stores, word for word, what the model was shown of a channel and what it answered. None of it is posted. Use it to investigate the bot's behaviour in a test channel.",
  }),
  allow_bot_messages: key(z.boolean().default(true), {
    help: "Whether messages of other bots are read. They never count as addressed to this bot, and never start a batch by themselves.",
  }),
  cooldown_seconds: key(z.number().min(0).max(86_400).default(30), {
    help: "The pause after a batch, in seconds, before the next batch of the same channel. People who address the bot do not wait.",
  }),
  pool: table({
    max_sessions: key(z.int().min(1).max(10_000).default(5), {
      help: "In how many channels the conversation so far is kept from batch to batch; the channel that was quiet longest is dropped first. Raise it if the bot reads more channels.",
    }),
    session_ttl_minutes: key(z.number().min(1).max(10_080).default(60), {
      help: "After how many minutes without a message the conversation so far is dropped.",
    }),
    context_flushes: key(z.int().min(0).max(50).default(3), {
      help: "How many earlier batches and answers stay in the conversation that the model is shown. 0 shows only new messages.",
    }),
  }),
})

const attention = table({
  active_messages: key(z.int().min(0).max(100).default(5), {
    help: "After how many messages of others the bot no longer counts as part of the exchange. Until then, the person it answered needs no mention. 0 requires a mention every time.",
  }),
  active_minutes: key(z.number().min(0).max(1440).default(5), {
    help: "How many minutes after its last message the bot counts as part of the exchange.",
  }),
  max_concurrent_answers: key(z.int().min(1).max(100).default(4), {
    help: "How many answers to people who address the bot are written at the same time. Batches never use these slots.",
  }),
})

const policy = table({
  allowed_channels: channels(
    "Channels where the bot answers when it is addressed. Empty allows every channel it is in.",
  ),
  blocked_channels: channels("Channels where the bot neither reads nor answers, whatever other lists say."),
  ambient_channels: channels(
    "Channels that the bot reads if chat.ambient.enabled is on. Threads belong to their channel. Here it also answers when it is addressed, even if allowed_channels does not name the channel.",
  ),
  reply_channels: channels(
    "Channels that the bot reads where it may also speak unasked. Empty means all of them; elsewhere it may only react with an emoji.",
  ),
  discovery_channels: channels("Channels where the bot may start a topic of its own. Empty means none."),
  no_media_channels: channels(
    "Channels where the bot posts no pictures, videos or GIFs, not even in answers.",
  ),
  post_after_web_channels: key(list(1000).default(["*"]), {
    help: "Channels of discovery_channels where the bot may post after it searched the web or read pages. In others, such a thought is dropped. Text on a web page may try to get itself repeated; empty this list where that would do harm.",
    expects: channelList,
  }),
  remember_channels: channels(
    "Channels where the bot remembers, for the community, what people state about themselves and about the community, such as where they live or when the group meets, from messages it reads anyway. Everywhere else it remembers only what somebody asks it to. Private conversations are channels too. People can ask the bot to forget what they said.",
  ),
  private_messages: key(z.boolean().default(true), {
    help: "Whether the bot answers private messages.",
  }),
  blocked_users: key(list(10_000), {
    help: "People whose messages are dropped on arrival: no model and no memory ever sees them.",
    expects: peopleList,
  }),
  command_users: key(list(10_000).default(["*"]), {
    help: "Who may use the commands mute, unmute and leave this thread. * allows everyone whom the bot answers. On IRC a person is account:NAME if the server reports accounts, else nick:NAME, which anybody can take.",
    expects: peopleList,
  }),
  calls_per_day: key(z.int().min(0).max(1_000_000).default(500), {
    help: "The maximum number of model calls for one community in a day (UTC). After that the bot stays silent, and says so to people who address it. 0 makes none.",
  }),
  usd_per_day: key(z.number().min(0).max(10_000).default(1), {
    help: "The maximum cost of one community in a day (UTC), in US dollars. After that no model is asked for it until the next day.",
  }),
})

/** The section `[chat]`. */
export const chatSchema = table({
  name: key(z.string().trim().min(1).max(60).default("Reverie"), {
    help: "The name that addresses the bot at the beginning or end of a message, besides mentions and its name on the platform.",
    expects: "a name of at most 60 characters",
  }),
  nicknames: key(list(50), {
    help: "Other names that address the bot. Avoid everyday words.",
    expects: "a list of names",
  }),
  ambient,
  attention,
  policy,
  initiative,
  ...chatChannels,
})
