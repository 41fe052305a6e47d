import type { APIChannel, APIMessage, Client, GatewayDispatchPayload } from "discord.js"
import { type Clock, sleep } from "../../../base/clock.ts"
import { messageOf, UserError } from "../../../base/errors.ts"
import { isSafeForKeys } from "../../../base/net/web-address.ts"
import type { Random } from "../../../base/random.ts"
import type { Capabilities, Channel, ChannelEvent, ChatMessage, RoomRef, SendResult } from "../channel.ts"
import { createKeyedQueue } from "../keyed-queue.ts"
import { cleanName } from "../text/clean.ts"
import { closeReason, notConnected, wrongToken } from "./messages.ts"
import { type GatewayMessage, isUserMessage, readMessage } from "./read-message.ts"
import { createPacketReader } from "./read-packets.ts"
import { createRooms } from "./rooms.ts"
import {
  askedToWait,
  failureOf,
  largestFile,
  longestText,
  longestWaitMs,
  type SendNeeds,
  sendText,
} from "./send.ts"

type Vendor = typeof import("discord.js")
type Read = ReturnType<typeof createPacketReader>

export interface DiscordSettings {
  token: string
  /** The address of the API, up to and including /api; empty for Discord itself. */
  apiUrl: string
  /** Whether a reply notifies the user. */
  notifyReplied: boolean
}

const discordCapabilities: Capabilities = {
  reactions: true,
  typing: true,
  history: true,
  replies: true,
  longestText,
  lengthUnit: "characters",
  files: true,
  largestFile,
  direct: true,
}

/** How long no file is sent to a channel that refused one. */
const noFilesMs = 3_600_000
/** How long to wait for unavailable guilds before we report that we are connected. */
const guildsWithinMs = 5000
const firstPauseMs = 1000
const longestPauseMs = 300_000
/** Discord shows the typing indicator for ten seconds. */
const typingEveryMs = 8000
const pageSize = 100

/** Discord with a bot account. discord.js handles heartbeats, resuming and rate limits. */
export function openDiscord(needs: { clock: Clock; random: Random }, settings: DiscordSettings): Channel {
  const { clock } = needs
  if (settings.apiUrl !== "" && !isSafeForKeys(settings.apiUrl))
    throw new UserError("config", "chat.discord.api_url must use https: the bot's token goes there.")
  const rooms = createRooms()
  const us = { id: "", name: "" }
  const reading = { rooms, us, now: () => clock.now() }
  const stopping = new AbortController()
  const inTurn = createKeyedQueue()
  let running: Running | undefined
  let isConnected = false

  /** Channels that refused files although the permissions allow them, and when. */
  const tookNone = new Map<string, number>()
  const mayAttach = (room: RoomRef) => {
    const since = tookNone.get(room.thread ?? room.channel)
    return (since === undefined || clock.now() - since > noFilesMs) && rooms.mayAttach(room, us.id)
  }
  const sendNeeds = (room: RoomRef): SendNeeds | undefined =>
    running && {
      mayAttach: mayAttach(room),
      onNoFiles: () => void tookNone.set(room.thread ?? room.channel, clock.now()),
      clock,
      vendor: running.vendor,
      rest: running.client.rest,
      notifyReplied: settings.notifyReplied,
      isConnected: () => isConnected && !stopping.signal.aborted,
    }

  const fetchChannel = async (id: string) => {
    try {
      if (running) rooms.addChannel((await running.client.rest.get(`/channels/${BigInt(id)}`)) as APIChannel)
    } catch {
      // An unknown channel becomes a room of its own, so that no message is lost.
    }
  }

  /** Connects; settles when the connection ends for good, with the problem if the user has to fix it. */
  const connect = async (
    vendor: Vendor,
    read: Read,
    onEvent: (event: ChannelEvent) => void,
  ): Promise<string | undefined> => {
    const client = createClient(vendor, settings)
    running = { vendor, client }
    const ended = Promise.withResolvers<string | undefined>()
    const tell = createConnectionReporter(clock, rooms, us, (event) => {
      if (event.kind === "connected") isConnected = true
      if (event.kind === "disconnected") isConnected = false
      onEvent(event)
    })
    client.on(vendor.Events.Raw, (packet: GatewayDispatchPayload) => {
      if (stopping.signal.aborted) return
      // A malformed packet must not end the process.
      try {
        read(packet)
        tell.packet(packet)
      } catch (error) {
        const problem = `Discord sent something that cannot be read: ${packet.t} (${messageOf(error)}).`
        onEvent({ kind: "problem", problem, isFatal: false, at: clock.now() })
      }
    })
    client.on(vendor.Events.ShardReconnecting, () => {
      if (!stopping.signal.aborted) tell.lost("the connection to Discord was cut")
    })
    client.on(vendor.Events.ShardDisconnect, ({ code }) => ended.resolve(closeReason(code)))
    // Unhandled, they would end the process; a close follows if they matter.
    client.on(vendor.Events.ShardError, () => undefined)
    client.on(vendor.Events.Error, () => undefined)
    const stop = () => ended.resolve(undefined)
    stopping.signal.addEventListener("abort", stop, { once: true })
    const login = client.login(settings.token).then(
      () => ended.promise,
      (error) => (isWrongToken(vendor, error) ? wrongToken : Promise.reject(error)),
    )
    try {
      return await Promise.race([login, ended.promise])
    } finally {
      stopping.signal.removeEventListener("abort", stop)
      tell.stop()
      isConnected = false
      await client.destroy().catch(() => undefined)
    }
  }

  /** Connects again until it is stopped or retrying does not help. */
  const keepConnected = async (vendor: Vendor, onEvent: (event: ChannelEvent) => void) => {
    const read = createPacketReader(reading, fetchChannel, onEvent)
    let pauseMs = firstPauseMs
    while (!stopping.signal.aborted) {
      try {
        const problem = await connect(vendor, read, onEvent)
        if (problem !== undefined) onEvent({ kind: "problem", problem, isFatal: true, at: clock.now() })
        return
      } catch (error) {
        const reason = `Discord cannot be reached (${messageOf(error)})`
        onEvent({ kind: "disconnected", reason, at: clock.now() })
        await sleep(clock, pauseMs * (0.75 + needs.random.next() / 2), stopping.signal)
        pauseMs = Math.min(longestPauseMs, pauseMs * 2)
      }
    }
  }

  const send: Channel["send"] = async (room, outgoing, signal) => {
    const sending = sendNeeds(room)
    if (sending === undefined || !isConnected) return { outcome: "refused", reason: notConnected }
    const channel = room.thread ?? room.channel
    const either = AbortSignal.any([signal, stopping.signal])
    return inTurn(channel, () => sendText(sending, channel, outgoing, either))
  }

  let life: Promise<void> | undefined
  let tellAll: (event: ChannelEvent) => void = () => undefined
  return {
    platform: "discord",
    capabilities: discordCapabilities,
    async start(onEvent) {
      if (life !== undefined) throw new Error("a channel is started once")
      const vendor = await import("discord.js")
      tellAll = onEvent
      life = keepConnected(vendor, onEvent)
    },
    async history(room, { limit, after }) {
      if (running === undefined) return []
      const { vendor } = running
      const found = await readHistory(running, room, limit, after, async (error) => {
        const failure = failureOf(vendor, error)
        const canWait = failure.kind === "limited" && failure.retryAfterMs <= longestWaitMs
        if (canWait) await sleep(clock, failure.retryAfterMs, stopping.signal)
        if (canWait && !stopping.signal.aborted) return true
        const why = failure.kind === "limited" ? askedToWait : failure.reason
        tellAll({
          kind: "problem",
          problem: `The history of a channel was not read: ${why}`,
          isFatal: false,
          at: clock.now(),
        })
        return false
      })
      const guild = rooms.isPrivate(room) ? null : room.community
      return found.filter(isUserMessage).map((message): ChatMessage => readMessage(reading, message, guild))
    },
    mayAttach,
    send,
    async sendTo(person, outgoing, signal) {
      if (running === undefined || !isConnected) return { outcome: "refused", reason: notConnected }
      const { vendor, client } = running
      try {
        const body = { recipient_id: person }
        const opened = (await client.rest.post(vendor.Routes.userChannels(), { body, signal })) as APIChannel
        rooms.addChannel(opened)
        return await send(rooms.roomOf(opened.id, null, person), outgoing, signal)
      } catch (error) {
        // Only opening the private channel throws, so nothing was sent.
        return { ...sendFailure(vendor, error), outcome: "refused" }
      }
    },
    async react(room, message, emoji): Promise<SendResult> {
      if (running === undefined || !isConnected) return { outcome: "refused", reason: notConnected }
      const { vendor, client } = running
      try {
        const sign = encodeURIComponent(emoji)
        await client.rest.put(
          vendor.Routes.channelMessageOwnReaction(room.thread ?? room.channel, message, sign),
        )
        return { outcome: "sent", ids: [message] }
      } catch (error) {
        return sendFailure(vendor, error)
      }
    },
    typing(room, signal) {
      const either = AbortSignal.any([signal, stopping.signal])
      const show = async () => {
        while (!either.aborted && running !== undefined && isConnected) {
          const route = running.vendor.Routes.channelTyping(room.thread ?? room.channel)
          await running.client.rest.post(route, { signal: either }).catch(() => undefined)
          await sleep(clock, typingEveryMs, either)
        }
      }
      void show()
    },
    async stop() {
      stopping.abort()
      await life
    },
  }
}

interface Running {
  vendor: Vendor
  client: Client
}

/** A client with almost no caches: rooms.ts stores what we need. */
function createClient(vendor: Vendor, settings: DiscordSettings): Client {
  const { GatewayIntentBits: intents } = vendor
  return new vendor.Client({
    intents: [
      intents.Guilds,
      intents.GuildMessages,
      intents.MessageContent,
      intents.GuildMessageReactions,
      intents.DirectMessages,
      intents.DirectMessageReactions,
    ],
    makeCache: vendor.Options.cacheWithLimits({
      MessageManager: 0,
      PresenceManager: 0,
      ReactionManager: 0,
      ReactionUserManager: 0,
      GuildEmojiManager: 0,
      GuildStickerManager: 0,
      VoiceStateManager: 0,
      ThreadMemberManager: 0,
    }),
    allowedMentions: { parse: [], repliedUser: false },
    rest: {
      ...(settings.apiUrl === "" ? {} : { api: settings.apiUrl.replace(/\/+$/, "") }),
      // Retries are decided where it is known whether they could post a message twice.
      retries: 0,
      rejectOnRateLimit: () => true,
    },
  })
}

/** Reports when we are connected, and whether messages may be missing. */
function createConnectionReporter(
  clock: Clock,
  rooms: ReturnType<typeof createRooms>,
  us: { id: string; name: string },
  onEvent: (event: ChannelEvent) => void,
) {
  let isTold = false
  let awaited: Set<string> | undefined
  let giveUp: () => void = () => undefined
  const tell = (mayHaveMissed: boolean) => {
    giveUp()
    awaited = undefined
    isTold = true
    onEvent({ kind: "connected", communities: rooms.communities(), mayHaveMissed, at: clock.now() })
  }
  return {
    packet({ t, d }: GatewayDispatchPayload) {
      if (t === "READY") {
        us.id = d.user.id
        us.name = cleanName(d.user.global_name ?? d.user.username, d.user.id)
        awaited = new Set(d.guilds.map(({ id }) => id))
        giveUp()
        giveUp = clock.after(guildsWithinMs, () => tell(true))
        if (awaited.size === 0) tell(true)
      } else if (t === "GUILD_CREATE" && awaited?.delete(d.id) && awaited.size === 0) tell(true)
      else if (t === "RESUMED") tell(false)
    },
    lost(reason: string) {
      giveUp()
      if (isTold) onEvent({ kind: "disconnected", reason, at: clock.now() })
      isTold = false
    },
    stop: () => giveUp(),
  }
}

function sendFailure(vendor: Vendor, error: unknown): Exclude<SendResult, { outcome: "sent" }> {
  const failure = failureOf(vendor, error)
  if (failure.kind === "limited")
    return { outcome: "refused", reason: askedToWait, retryAfterMs: failure.retryAfterMs }
  return { outcome: failure.kind === "refused" ? "refused" : "unknown", reason: failure.reason }
}

function isWrongToken(vendor: Vendor, error: unknown): boolean {
  if (error instanceof vendor.DiscordAPIError) return error.status === 401
  return error instanceof vendor.DiscordjsError && error.code === vendor.DiscordjsErrorCodes.TokenInvalid
}

/** The newest messages of a room, only those after one if given; page by page back from now. */
async function readHistory(
  { vendor, client }: Running,
  room: RoomRef,
  limit: number,
  after: string | undefined,
  /** Whether to request a failed page again. */
  mayRetry: (error: unknown) => Promise<boolean>,
): Promise<GatewayMessage[]> {
  const found: GatewayMessage[] = []
  let before: string | undefined
  while (found.length < limit) {
    const query = new URLSearchParams({ limit: String(Math.min(pageSize, limit - found.length)) })
    if (before !== undefined) query.set("before", before)
    const route = vendor.Routes.channelMessages(room.thread ?? room.channel)
    let page: APIMessage[]
    try {
      page = (await client.rest.get(route, { query })) as APIMessage[]
    } catch (error) {
      if (await mayRetry(error)) continue
      break
    }
    const wanted = page.filter(({ id }) => after === undefined || BigInt(id) > BigInt(after))
    found.push(...wanted)
    before = page.at(-1)?.id
    if (before === undefined || wanted.length < page.length || page.length < Number(query.get("limit"))) break
  }
  return found.reverse()
}
