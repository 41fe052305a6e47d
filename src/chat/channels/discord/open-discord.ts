import type { APIChannel, APIMessage, Client, GatewayDispatchPayload } from "discord.js"
import { type Clock, sleep } from "../../../base/clock.ts"
import { messageOf, UserError } from "../../../base/errors.ts"
import { mayCarryKey } from "../../../base/net/web-address.ts"
import type { Random } from "../../../base/random.ts"
import type { Capabilities, Channel, ChannelEvent, ChatMessage, RoomRef, Sent } from "../channel.ts"
import { createInTurn } from "../in-turn.ts"
import { cleanName } from "../text/clean.ts"
import { isSpoken, readMessage, type SeenMessage } from "./read-message.ts"
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
import { closeSentence, notConnected, wrongToken } from "./sentences.ts"

type Vendor = typeof import("discord.js")
type Read = ReturnType<typeof createPacketReader>

export interface DiscordSettings {
  /** The bot's token. */
  token: string
  /** Where the API answers, up to and including /api; empty for Discord itself. */
  apiUrl: string
  /** Whether the person an answer replies to is notified. */
  notifyReplied: boolean
}

const discordCapabilities: Capabilities = {
  threads: true,
  edits: true,
  deletes: true,
  reactions: true,
  typing: true,
  history: true,
  replies: true,
  longestText,
  lengthUnit: "characters",
  files: true,
  largestFile,
  seesBots: true,
  direct: true,
}

/** For so long no file is tried again in a channel that took none. */
const noFilesMs = 3_600_000
/** How long servers that do not come are waited for before we say that we are there. */
const guildsWithinMs = 5000
const firstPauseMs = 1000
const longestPauseMs = 300_000
/** Discord shows that we write for ten seconds. */
const typingEveryMs = 8000
const pageSize = 100

/** Discord, by a bot account. discord.js holds the connection: heartbeats, resuming, rate limits. */
export function openDiscord(needs: { clock: Clock; random: Random }, settings: DiscordSettings): Channel {
  const { clock } = needs
  if (settings.apiUrl !== "" && !mayCarryKey(settings.apiUrl))
    throw new UserError("config", "chat.discord.api_url must use https: the bot's token goes there.")
  const rooms = createRooms()
  const us = { id: "", name: "" }
  const reading = { rooms, us, now: () => clock.now() }
  const stopping = new AbortController()
  const inTurn = createInTurn()
  let running: Running | undefined
  let isConnected = false

  /** Where Discord took no files although its permissions say it would, and since when. */
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
      // It then stands for itself: better in a room of its own than lost.
    }
  }

  /** Connects; ends when the connection is over for good, with the reason where a person has to mend it. */
  const connect = async (
    vendor: Vendor,
    read: Read,
    onEvent: (event: ChannelEvent) => void,
  ): Promise<string | undefined> => {
    const client = createClient(vendor, settings)
    running = { vendor, client }
    const ended = Promise.withResolvers<string | undefined>()
    const tell = createTeller(clock, rooms, us, (event) => {
      if (event.kind === "connected") isConnected = true
      if (event.kind === "disconnected") isConnected = false
      onEvent(event)
    })
    client.on(vendor.Events.Raw, (packet: GatewayDispatchPayload) => {
      if (stopping.signal.aborted) return
      // A packet that is not what it should be must not end the process.
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
    client.on(vendor.Events.ShardDisconnect, ({ code }) => ended.resolve(closeSentence(code)))
    // Otherwise they would end the process; what matters of them comes as a close.
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

  /** Tries until it is stopped or told that trying is of no use. */
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
      return found.filter(isSpoken).map((message): ChatMessage => readMessage(reading, message, guild))
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
        // Only opening the talk throws: nothing was said yet.
        const failure = failureOf(vendor, error)
        if (failure.kind !== "limited") return { outcome: "refused", reason: failure.reason }
        return { outcome: "refused", reason: askedToWait, retryAfterMs: failure.retryAfterMs }
      }
    },
    async react(room, message, emoji): Promise<Sent> {
      if (running === undefined || !isConnected) return { outcome: "refused", reason: notConnected }
      const { vendor, client } = running
      try {
        const sign = encodeURIComponent(emoji)
        await client.rest.put(
          vendor.Routes.channelMessageOwnReaction(room.thread ?? room.channel, message, sign),
        )
        return { outcome: "sent", ids: [message] }
      } catch (error) {
        const failure = failureOf(vendor, error)
        if (failure.kind === "unanswered") return { outcome: "unknown", reason: failure.reason }
        if (failure.kind === "refused") return { outcome: "refused", reason: failure.reason }
        const { retryAfterMs } = failure
        return { outcome: "refused", reason: askedToWait, retryAfterMs }
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

/** A client that keeps next to nothing: what we need of Discord's world is in rooms.ts. */
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
      // Whether to try again is decided where it is known whether that could double a message.
      retries: 0,
      rejectOnRateLimit: () => true,
    },
  })
}

/** Says when we are there, and whether something was missed on the way. */
function createTeller(
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

function isWrongToken(vendor: Vendor, error: unknown): boolean {
  if (error instanceof vendor.DiscordAPIError) return error.status === 401
  return error instanceof vendor.DiscordjsError && error.code === vendor.DiscordjsErrorCodes.TokenInvalid
}

/** The newest messages of a room, those after a given one where that is wanted; page by page back from now. */
async function readHistory(
  { vendor, client }: Running,
  room: RoomRef,
  limit: number,
  after: string | undefined,
  /** Whether to ask again for a page that was not given. */
  mayRetry: (error: unknown) => Promise<boolean>,
): Promise<SeenMessage[]> {
  const found: SeenMessage[] = []
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
