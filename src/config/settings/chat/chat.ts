import { z } from "zod"
import { key, table } from "../../key.ts"
import { chatChannels } from "./channels.ts"
import { initiative } from "./initiative.ts"

const list = (most: number) => z.array(z.string().trim().min(1).max(200)).max(most).default([])
const channelList = "a list of channels, each CHANNEL, PLATFORM/CHANNEL or PLATFORM/COMMUNITY/CHANNEL, or *"
const peopleList = "a list of people, each ID or PLATFORM/ID, or *"

const ambient = table({
  enabled: key(z.boolean().default(false), {
    help: "Whether it listens in the channels of chat.policy.ambient_channels and may speak there unasked. Off, it costs nothing and answers only who addresses it.",
  }),
  flush_interval_seconds: key(z.number().min(1).max(86_400).default(60), {
    help: "How long after the first unread message a batch is looked at, give or take a fifth by chance, so that channels do not all come at once. Raise it to spend less.",
  }),
  flush_max_messages: key(z.int().min(1).max(500).default(10), {
    help: "With how many unread messages a batch is looked at at once. 1 looks at each message by itself.",
  }),
  flush_hard_cap: key(z.int().min(1).max(1000).default(50), {
    help: "How many unread messages a channel keeps at most. Beyond it the oldest go, and the model is told how many.",
  }),
  max_concurrent_flushes: key(z.int().min(1).max(100).default(3), {
    help: "How many batches of all channels a model looks at at the same time. Answers to people who address it do not wait for these.",
  }),
  flush_timeout_seconds: key(z.number().min(5).max(600).default(120), {
    help: "How long a model may take for a batch or an answer. Then it is stopped, and its slot is free.",
  }),
  context_window: key(z.int().min(0).max(100).default(20), {
    help: "How many earlier messages are fetched from the platform where the conversation so far is shorter. 0 fetches none.",
  }),
  instructions_file: key(z.string().max(1000).default(""), {
    help: "A text file that tells how to behave in channels; its first 2,000 characters are used, and read anew when it changes. Empty takes ambient.md beside the configuration file, if there is one.",
    expects: "the path of a file, or empty",
  }),
  debug: key(z.boolean().default(false), {
    help: "Whether the journal also keeps what the model was shown of a channel and what it answered, word for word. Nothing of it is posted. For looking into its behaviour in a test channel.",
  }),
  allow_bot_messages: key(z.boolean().default(true), {
    help: "Whether what other bots say is read along. Their messages never count as addressed to it, and never cause a batch by themselves.",
  }),
  cooldown_seconds: key(z.number().min(0).max(86_400).default(30), {
    help: "How long a channel rests after a batch before the next one is looked at. People who address it do not wait.",
  }),
  pool: table({
    max_sessions: key(z.int().min(1).max(10_000).default(5), {
      help: "In how many channels the conversation so far is remembered from batch to batch; the one that was quiet longest is forgotten first. Raise it if you listen in more channels.",
    }),
    session_ttl_minutes: key(z.number().min(1).max(10_080).default(60), {
      help: "After how long without a word the conversation so far is forgotten.",
    }),
    context_flushes: key(z.int().min(0).max(50).default(3), {
      help: "How many earlier batches and answers stay in the conversation that the model is shown. 0 shows only what is new.",
    }),
  }),
})

const attention = table({
  active_messages: key(z.int().min(0).max(100).default(5), {
    help: "How many messages of others may follow its last words before it no longer counts as part of the exchange. Until then the person it answered needs no mention. 0 wants a mention every time.",
  }),
  active_minutes: key(z.number().min(0).max(1440).default(5), {
    help: "How long after its last words it counts as part of the exchange.",
  }),
  max_concurrent_answers: key(z.int().min(1).max(100).default(4), {
    help: "How many answers to people who address it are written at the same time; these slots are never taken by batches.",
  }),
})

const policy = table({
  allowed_channels: key(list(1000), {
    help: "Where it answers who addresses it. Empty allows every channel it is in.",
    expects: channelList,
  }),
  blocked_channels: key(list(1000), {
    help: "Where it neither listens nor answers, whatever other lists say.",
    expects: channelList,
  }),
  ambient_channels: key(list(1000), {
    help: "Where it listens, if chat.ambient.enabled is on. Threads go with their channel. It answers who addresses it here even if allowed_channels does not name the channel.",
    expects: channelList,
  }),
  reply_channels: key(list(1000), {
    help: "Where it may speak unasked after listening. Empty means every channel it listens in; elsewhere it may only react with an emoji.",
    expects: channelList,
  }),
  discovery_channels: key(list(1000), {
    help: "Where it may begin a subject of its own. Empty means nowhere.",
    expects: channelList,
  }),
  no_media_channels: key(list(1000), {
    help: "Where it posts no pictures, videos and GIFs, in answers neither.",
    expects: channelList,
  }),
  post_after_web_channels: key(list(1000).default(["*"]), {
    help: "In which channels of discovery_channels it may post when it searched the web or read pages for it. Elsewhere such a thought is dropped. What strangers wrote on a page may be meant to be repeated; empty this where that would hurt.",
    expects: channelList,
  }),
  remember_channels: key(list(1000), {
    help: "Where it remembers for its community what people state about themselves and about the community, such as where they live or when the group meets, from messages that it reads anyway. Everywhere else it remembers only what somebody asks it to. Private talk is a channel too. Whoever said something can have it forgotten by telling it so.",
    expects: channelList,
  }),
  private_messages: key(z.boolean().default(true), {
    help: "Whether it answers messages that are said to it alone.",
  }),
  blocked_users: key(list(10_000), {
    help: "Whose messages are thrown away as they come: no model and no memory ever sees them.",
    expects: peopleList,
  }),
  command_users: key(list(10_000).default(["*"]), {
    help: "Who may tell it mute, unmute and leave this thread. * lets everyone whom it answers. In IRC a person is account:NAME where the server tells accounts, else nick:NAME, which anybody can take.",
    expects: peopleList,
  }),
  calls_per_day: key(z.int().min(0).max(1_000_000).default(500), {
    help: "How often a model may be asked for one community in a day (UTC). Then it stays silent, and tells whoever addresses it. 0 asks none.",
  }),
  usd_per_day: key(z.number().min(0).max(10_000).default(1), {
    help: "What one community may cost in a day (UTC), in US dollars. Once it is spent no model is asked for it until the next day.",
  }),
})

/** Everything about chat channels but how to connect to them. */
export const chatSchema = table({
  name: key(z.string().trim().min(1).max(60).default("Reverie"), {
    help: "The name it answers to at the beginning or end of a message, besides mentions and its name on the platform.",
    expects: "a name of at most 60 characters",
  }),
  nicknames: key(list(50), {
    help: "Other names it answers to. Choose none that is an everyday word.",
    expects: "a list of names",
  }),
  ambient,
  attention,
  policy,
  initiative,
  ...chatChannels,
})
