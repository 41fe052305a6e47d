import { once } from "node:events"
import { createServer } from "node:http"
import { createGateway, type Event, messageContentIntent } from "./gateway.ts"
import { createRest, type Fault, type UploadedFile } from "./rest.ts"
import { routesOf } from "./routes.ts"
import {
  channelPayload,
  createWorld,
  guildPayload,
  type MessageExtras,
  messagePayload,
  type Payload,
  type PeerMessage,
  userPayload,
} from "./world.ts"

/** Something the bot posted. */
interface Post {
  id: string
  channel: string
  text: string
  replyTo: string | null
  nonce: string | null
  /** As the bot sent it. */
  allowedMentions: unknown
  files: UploadedFile[]
}

interface PeerOptions {
  token?: string
  /** How often clients must give a sign of life; short to test what happens when they are not heard. */
  heartbeatMs?: number
  /** "granted", "refused" (4014 for who asks for it) or "stripped" (granted on paper, but contents are empty). */
  messageContent?: "granted" | "refused" | "stripped"
}

/**
 * Our own Discord on a loopback port: the real discord.js speaks to it over HTTP and a websocket. It begins with one server,
 * one channel and the bot in it. Close it when done.
 */
export async function serveDiscord(options: PeerOptions = {}) {
  const { token = `${"peer".repeat(6)}.token0.${"x".repeat(30)}`, heartbeatMs = 41_250 } = options
  let { messageContent = "granted" } = options
  const world = createWorld()
  const posts: Post[] = []
  const reactions: { message: string; emoji: string }[] = []
  const typings: string[] = []
  const waiting = new Set<() => void>()
  const changed = () => {
    for (const look of [...waiting]) look()
  }

  const addUser = (
    name: string,
    { nick = null, isBot = false }: { nick?: string | null; isBot?: boolean } = {},
  ) => {
    const id = world.newSnowflake()
    world.users.set(id, { id, name, nick, isBot })
    return id
  }
  const bot = addUser("reverie", { isBot: true })
  const botUser = () => {
    const user = world.users.get(bot)
    if (user === undefined) throw new Error("the bot is gone")
    return user
  }

  const http = createServer(
    (request, response) => void rest.take(request, response).catch(() => response.destroy()),
  )
  http.listen(0, "127.0.0.1")
  await once(http, "listening")
  const address = http.address()
  if (address === null || typeof address === "string") throw new Error("the peer has no port")
  const host = `127.0.0.1:${address.port}`

  const gateway = createGateway({
    token,
    heartbeatMs,
    mayReadContent: () => messageContent !== "refused",
    address: () => `ws://${host}`,
    ready: () => ({
      user: userPayload(botUser()),
      guilds: [...world.guilds.keys()].map((id) => ({ id, unavailable: true })),
      application: { id: bot, flags: 0 },
      private_channels: [],
    }),
    greeting: () =>
      [...world.guilds.keys()].map((id) => ({ t: "GUILD_CREATE", d: guildPayload(world, id, botUser()) })),
    seenBy,
    changed,
  })
  http.on("upgrade", (request, socket, head) => gateway.upgrade(request, socket, head))

  const channelOf = (id: string) => {
    const channel = world.channels.get(id)
    if (channel === undefined) throw new Error(`the peer has no channel ${id}`)
    return channel
  }
  const messageOf = (id: string) => {
    const message = world.messages.get(id)
    if (message === undefined) throw new Error(`the peer has no message ${id}`)
    return message
  }
  const guildOf = (channel: string) => {
    const { guild } = channelOf(channel)
    return guild === null ? {} : { guild_id: guild }
  }

  const keep = (message: PeerMessage) => {
    world.messages.set(message.id, message)
    gateway.dispatch({ t: "MESSAGE_CREATE", d: messagePayload(world, message) })
    return message
  }

  /** What a session may see, as the intents say. */
  function seenBy(event: Event, intents: number): Event | undefined {
    const channel = world.channels.get(String(event.d.channel_id))
    const isPrivate = channel !== undefined && channel.guild === null
    const needed = neededIntent(event.t, isPrivate)
    if (needed !== 0 && (intents & needed) === 0) return undefined
    if (!/^MESSAGE_(CREATE|UPDATE)$/.test(event.t)) return event
    const hasContent = (intents & messageContentIntent) !== 0 && messageContent === "granted"
    const message = world.messages.get(String(event.d.id))
    if (hasContent || isPrivate || message?.author === bot || message?.mentions.includes(bot)) return event
    return { t: event.t, d: { ...event.d, content: "", embeds: [], attachments: [], components: [] } }
  }

  const dmWith = (user: string) => {
    const there = [...world.channels.values()].find(({ recipient }) => recipient === user)
    const id = world.newSnowflake()
    const channel = { id, name: "", guild: null, parent: null, recipient: user, isOpen: true }
    if (there === undefined) world.channels.set(id, channel)
    return there ?? channel
  }

  const rest = createRest({
    token,
    changed,
    routes: routesOf({
      world,
      bot,
      gatewayUrl: `ws://${host}`,
      post(fields, { allowedMentions, files }) {
        const message = keep({
          ...fields,
          author: bot,
          id: world.newSnowflake(),
          at: Date.now(),
          editedAt: null,
        })
        const { id, channel, text, replyTo, nonce } = message
        posts.push({ id, channel, text, replyTo, nonce, allowedMentions, files })
        return message
      },
      openDm: (user) => (world.users.has(user) ? dmWith(user) : undefined),
      react(message, emoji) {
        reactions.push({ message, emoji })
        dispatchReaction(message, bot, emoji, true)
      },
      typing: (channel) => void typings.push(channel),
    }),
  })

  function dispatchReaction(message: string, user: string, emoji: string, isAdded: boolean): void {
    const { channel, author } = messageOf(message)
    const d: Payload = {
      user_id: user,
      channel_id: channel,
      message_id: message,
      message_author_id: author,
      ...guildOf(channel),
      emoji: { id: null, name: emoji },
      burst: false,
      type: 0,
    }
    const member = world.users.get(user)
    if (isAdded && channelOf(channel).guild !== null && member)
      d.member = {
        user: userPayload(member),
        nick: member.nick,
        roles: [],
        joined_at: "2026-01-01T00:00:00.000Z",
      }
    gateway.dispatch({ t: `MESSAGE_REACTION_${isAdded ? "ADD" : "REMOVE"}`, d })
  }

  const addChannel = (guild: string, name: string) => {
    const id = world.newSnowflake()
    world.channels.set(id, { id, name, guild, parent: null, recipient: null, isOpen: true })
    gateway.dispatch({ t: "CHANNEL_CREATE", d: channelPayload(world, channelOf(id)) })
    return id
  }
  const addGuild = (name: string) => {
    const id = world.newSnowflake()
    world.guilds.set(id, { id, name, roles: [] })
    return id
  }
  const guild = addGuild("Greenhouse")
  const channel = addChannel(guild, "general")

  return {
    /** What goes into chat.discord.api_url. */
    apiUrl: `http://${host}/api`,
    token,
    bot,
    /** The server and the channel that are there from the start. */
    guild,
    channel,
    addUser,
    addChannel,
    /** A server that was there before the bot came, or that it is brought to now. */
    addGuild(name: string) {
      const id = addGuild(name)
      gateway.dispatch({ t: "GUILD_CREATE", d: guildPayload(world, id, botUser()) })
      return id
    },
    addRole(name: string) {
      const id = world.newSnowflake()
      world.guilds.get(guild)?.roles.push({ id, name })
      return id
    },
    /** `isAnnounced: false`: the bot is not told, as with threads that sleep. */
    addThread(parent: string, name: string, { isAnnounced = true } = {}) {
      const id = world.newSnowflake()
      const { guild: of } = channelOf(parent)
      world.channels.set(id, { id, name, guild: of, parent, recipient: null, isOpen: true })
      if (isAnnounced) gateway.dispatch({ t: "THREAD_CREATE", d: channelPayload(world, channelOf(id)) })
      return id
    },
    /** A private talk with the bot; the same for the same person. */
    openDm: (user: string) => dmWith(user).id,
    /** Takes the bot's permission to attach files; `isTold: false`: the permissions that it is told say otherwise. */
    forbidFiles(id: string, { isTold = true } = {}) {
      channelOf(id).takesFiles = false
      const d = channelPayload(world, channelOf(id))
      if (isTold)
        gateway.dispatch({
          t: "CHANNEL_UPDATE",
          d: { ...d, permission_overwrites: [{ id: bot, type: 1, allow: "0", deny: String(1 << 15) }] },
        })
    },
    /** Takes the bot's permission to write. */
    forbid(id: string) {
      channelOf(id).isOpen = false
    },
    /** Somebody says something; `<@ID>` in the text is a mention. */
    say(
      to: string,
      user: string,
      text: string,
      {
        replyTo = null,
        mentions = [],
        ...extras
      }: { replyTo?: string | null; mentions?: string[] } & MessageExtras = {},
    ): string {
      const inText = [...text.matchAll(/<@!?(\d+)>/g)].map((match) => match[1] ?? "")
      const message: PeerMessage = {
        id: world.newSnowflake(),
        channel: to,
        author: user,
        text,
        at: Date.now(),
        editedAt: null,
        replyTo,
        nonce: null,
        mentions: [...new Set([...inText, ...mentions])],
        extras,
      }
      return keep(message).id
    },
    edit(id: string, text: string) {
      const message = messageOf(id)
      message.text = text
      message.editedAt = Date.now()
      gateway.dispatch({ t: "MESSAGE_UPDATE", d: messagePayload(world, message) })
    },
    /** Discord adds the preview of a link to a message that nobody edited. */
    addPreview(id: string) {
      const message = messageOf(id)
      message.extras.embeds = [{ title: "A page" }]
      gateway.dispatch({ t: "MESSAGE_UPDATE", d: messagePayload(world, message) })
    },
    remove(...ids: string[]) {
      const [first = ""] = ids
      const { channel: of } = messageOf(first)
      for (const id of ids) world.messages.delete(id)
      const common = { channel_id: of, ...guildOf(of) }
      if (ids.length === 1) gateway.dispatch({ t: "MESSAGE_DELETE", d: { id: first, ...common } })
      else gateway.dispatch({ t: "MESSAGE_DELETE_BULK", d: { ids, ...common } })
    },
    react: (message: string, user: string, emoji: string) => dispatchReaction(message, user, emoji, true),
    unreact: (message: string, user: string, emoji: string) => dispatchReaction(message, user, emoji, false),
    type(to: string, user: string) {
      const d = { channel_id: to, user_id: user, timestamp: Math.floor(Date.now() / 1000), ...guildOf(to) }
      gateway.dispatch({ t: "TYPING_START", d })
    },
    /** What the bot posted, in its order. */
    posts: () => [...posts],
    reactions: () => [...reactions],
    /** The channels in which the bot showed that it writes, once for each time. */
    typings: () => [...typings],
    requests: () => [...rest.requests],
    counts: gateway.counts,
    connected: gateway.connected,
    /** The next requests that fit go wrong like this. */
    fault: (fault: Fault, where: { method?: string; path?: RegExp; times?: number } = {}) =>
      rest.plan(fault, where),
    cut: gateway.cut,
    closeWith: gateway.closeWith,
    forgetSessions: gateway.forgetSessions,
    askToReconnect: gateway.askToReconnect,
    invalidate: gateway.invalidate,
    repeatLast: gateway.repeatLast,
    /** Heartbeats are answered, or not any more: the connection is then a zombie. */
    answerHeartbeats(isAnswering: boolean) {
      gateway.behaviour.answersHeartbeats = isAnswering
    },
    /** New gateway connections are taken, or broken at once. */
    takeConnections(isTaking: boolean) {
      gateway.behaviour.takesConnections = isTaking
    },
    setMessageContent(now: NonNullable<PeerOptions["messageContent"]>) {
      messageContent = now
    },
    /** Waits until something holds; looked at after each request and gateway event. */
    until(holds: () => boolean): Promise<void> {
      return new Promise((resolve) => {
        const look = () => {
          if (!holds()) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      })
    },
    async close() {
      gateway.close()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

/** The intent a client must have for an event; 0 for none. */
function neededIntent(type: string, isPrivate: boolean): number {
  if (/^MESSAGE_REACTION_/.test(type)) return isPrivate ? 1 << 13 : 1 << 10
  if (/^MESSAGE_/.test(type)) return isPrivate ? 1 << 12 : 1 << 9
  if (type === "TYPING_START") return isPrivate ? 1 << 14 : 1 << 11
  if (/^(GUILD|CHANNEL|THREAD)_/.test(type)) return 1
  return 0
}
