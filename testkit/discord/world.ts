/** A payload as Discord writes it. */
export type Payload = Record<string, unknown>

/** Who can speak on the peer. */
export interface PeerUser {
  id: string
  name: string
  nick: string | null
  isBot: boolean
}

/** A channel, a thread or a private talk. */
export interface PeerChannel {
  id: string
  name: string
  /** null in private. */
  guild: string | null
  /** The channel a thread is in. */
  parent: string | null
  /** With whom, in private. */
  recipient: string | null
  /** The bot may write here. */
  isOpen: boolean
  /** The bot may attach files here; it may where nothing is said. */
  takesFiles?: boolean
}

export interface PeerMessage {
  id: string
  channel: string
  author: string
  text: string
  at: number
  editedAt: number | null
  replyTo: string | null
  nonce: string | null
  mentions: string[]
  extras: MessageExtras
}

/** What a message may carry beside its text. */
export interface MessageExtras {
  attachments?: { filename: string; contentType?: string; size?: number; description?: string }[]
  embeds?: { title?: string; description?: string; url?: string }[]
  stickers?: string[]
  /** Discord's number of the kind: 0 a message, 7 somebody joined, 19 a reply. */
  type?: number
}

const epoch = 1_420_070_400_000

/** All that is on the peer: people, servers, channels, messages. Ids grow with time, as Discord's do. */
export function createWorld() {
  let counter = 0
  let last = 0
  const newSnowflake = () => {
    last = Math.max(last, Date.now())
    counter = (counter + 1) % 4_000_000
    if (counter === 0) last += 1
    return String((BigInt(last - epoch) << 22n) | BigInt(counter))
  }
  return {
    newSnowflake,
    users: new Map<string, PeerUser>(),
    guilds: new Map<string, { id: string; name: string; roles: { id: string; name: string }[] }>(),
    channels: new Map<string, PeerChannel>(),
    /** In the order they were said. */
    messages: new Map<string, PeerMessage>(),
  }
}
export type World = ReturnType<typeof createWorld>

export function userPayload(user: PeerUser): Payload {
  return {
    id: user.id,
    username: user.name,
    global_name: user.name,
    discriminator: "0",
    avatar: null,
    bot: user.isBot,
  }
}

function memberPayload(user: PeerUser): Payload {
  return {
    nick: user.nick,
    roles: [],
    joined_at: "2026-01-01T00:00:00.000Z",
    deaf: false,
    mute: false,
    flags: 0,
  }
}

export function channelPayload(world: World, channel: PeerChannel): Payload {
  const { id, name, guild, parent, recipient } = channel
  if (guild === null) {
    const user = world.users.get(recipient ?? "")
    return { id, type: 1, last_message_id: null, recipients: user ? [userPayload(user)] : [] }
  }
  const common = { id, name, guild_id: guild, parent_id: parent, position: 0, permission_overwrites: [] }
  if (parent === null) return { ...common, type: 0, topic: null, nsfw: false, rate_limit_per_user: 0 }
  const thread_metadata = {
    archived: false,
    auto_archive_duration: 1440,
    archive_timestamp: "2026-01-01T00:00:00.000Z",
    locked: false,
  }
  return { ...common, type: 11, owner_id: "1", message_count: 0, member_count: 1, thread_metadata }
}

/** What everybody may do: see, write, read back, react, attach. */
const usual = (1 << 10) | (1 << 11) | (1 << 16) | (1 << 6) | (1 << 15)

export function guildPayload(world: World, id: string, bot: PeerUser): Payload {
  const guild = world.guilds.get(id)
  const channels = [...world.channels.values()].filter((channel) => channel.guild === id)
  const everyone = {
    permissions: "0",
    position: 0,
    color: 0,
    hoist: false,
    managed: false,
    mentionable: false,
  }
  const roles = [{ id, name: "@everyone", permissions: String(usual) }, ...(guild?.roles ?? [])]
  return {
    id,
    name: guild?.name,
    owner_id: "1",
    roles: roles.map((role) => ({ ...everyone, ...role })),
    emojis: [],
    stickers: [],
    features: [],
    channels: channels.filter(({ parent }) => parent === null).map((one) => channelPayload(world, one)),
    threads: channels.filter(({ parent }) => parent !== null).map((one) => channelPayload(world, one)),
    members: [{ ...memberPayload(bot), user: userPayload(bot) }],
    member_count: world.users.size,
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    joined_at: "2026-01-01T00:00:00.000Z",
    large: false,
    unavailable: false,
    preferred_locale: "en-US",
    premium_tier: 0,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    mfa_level: 0,
    nsfw_level: 0,
    system_channel_flags: 0,
    afk_timeout: 60,
    premium_progress_bar_enabled: false,
  }
}

/** A message as Discord sends it, with the one it replies to inside. */
export function messagePayload(world: World, message: PeerMessage, depth = 0): Payload {
  const channel = world.channels.get(message.channel)
  const author = world.users.get(message.author)
  const referenced = message.replyTo === null ? undefined : world.messages.get(message.replyTo)
  const { attachments = [], embeds = [], stickers = [], type } = message.extras
  const mentioned = message.mentions.flatMap((id) => world.users.get(id) ?? [])
  return {
    id: message.id,
    channel_id: message.channel,
    ...(channel?.guild ? { guild_id: channel.guild } : {}),
    type: type ?? (message.replyTo === null ? 0 : 19),
    content: message.text,
    author: author && userPayload(author),
    ...(channel?.guild && author ? { member: memberPayload(author) } : {}),
    timestamp: new Date(message.at).toISOString(),
    edited_timestamp: message.editedAt === null ? null : new Date(message.editedAt).toISOString(),
    tts: false,
    mention_everyone: false,
    mentions: mentioned.map((user) => ({
      ...userPayload(user),
      ...(channel?.guild ? { member: memberPayload(user) } : {}),
    })),
    mention_roles: [...message.text.matchAll(/<@&(\d+)>/g)].map((match) => match[1]),
    attachments: attachments.map((one, index) => ({
      id: String(index + 1),
      filename: one.filename,
      content_type: one.contentType,
      size: one.size ?? 1000,
      description: one.description,
      url: "https://cdn.example/file",
      proxy_url: "https://cdn.example/file",
    })),
    embeds: embeds.map((embed) => ({ type: "rich", ...embed })),
    sticker_items: stickers.map((name, index) => ({ id: String(index + 1), name, format_type: 1 })),
    reactions: [],
    pinned: false,
    flags: 0,
    components: [],
    ...(message.nonce === null ? {} : { nonce: message.nonce }),
    ...(message.replyTo === null
      ? {}
      : { message_reference: { type: 0, message_id: message.replyTo, channel_id: message.channel } }),
    ...(message.replyTo !== null && depth === 0
      ? { referenced_message: referenced ? messagePayload(world, referenced, 1) : null }
      : {}),
  }
}
