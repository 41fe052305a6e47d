import type { GatewayDispatchPayload } from "discord.js"
import { parseTime } from "../../../base/clock.ts"
import type { Author, ChannelEvent } from "../channel.ts"
import { createSeenIds } from "../seen-ids.ts"
import { cleanName } from "../text/clean.ts"
import { emptyContent } from "./messages.ts"
import {
  type GatewayMessage,
  isUserMessage,
  lacksContent,
  type ReadNeeds,
  readMessage,
  textOf,
} from "./read-message.ts"
import type { GatewayGuild } from "./rooms.ts"

/** Fetches and stores an unknown channel, such as an archived thread. */
type FetchChannel = (id: string) => Promise<void>

const mostIds = 5000

/** Turns gateway packets into channel events: each message once, in the order of its channel. */
export function createPacketReader(
  needs: ReadNeeds,
  fetchChannel: FetchChannel,
  onEvent: (event: ChannelEvent) => void,
) {
  const { rooms, us } = needs
  const seen = createSeenIds(mostIds)
  const edits = createSeenIds(mostIds)
  const fetching = new Map<string, Promise<void>>()
  let hasReportedEmpty = false

  /** Runs at once if the channel is known, else after it is fetched, in order. */
  const inChannel = (id: string, run: () => void) => {
    const before = fetching.get(id)
    if (before === undefined && rooms.knows(id)) return run()
    const now = (before ?? fetchChannel(id)).then(run).finally(() => {
      if (fetching.get(id) === now) fetching.delete(id)
    })
    fetching.set(id, now)
  }

  const handleMessage = (message: GatewayMessage) => {
    if (!isUserMessage(message) || !seen.add(message.id)) return
    const read = readMessage(needs, message, null)
    if (!read.isOurs && lacksContent(message)) {
      if (!hasReportedEmpty)
        onEvent({ kind: "problem", problem: emptyContent, isFatal: false, at: needs.now() })
      hasReportedEmpty = true
      return
    }
    onEvent({ kind: "message", message: read })
  }

  /** Only edits by users: Discord also updates a message when it adds a link preview. */
  const handleEdit = (message: GatewayMessage) => {
    const editedAt = message.edited_timestamp
    if (!editedAt || message.content === undefined || !isUserMessage(message)) return
    if (!edits.add(`${message.id} ${editedAt}`) || lacksContent(message)) return
    const room = rooms.roomOf(message.channel_id, message.guild_id ?? null, message.author.id)
    const text = textOf(needs, message, message.guild_id ?? null)
    const at = parseTime(editedAt) ?? needs.now()
    onEvent({ kind: "edited", room, id: message.id, text, at })
  }

  const authorOf = (id: string, member?: Member): Author => {
    if (member?.user) {
      const name = rooms.nameOf(member.user, member.nick)
      return { id, name, isBot: member.user.bot ?? false }
    }
    const known = rooms.knownUser(id)
    if (id === us.id) return { id, name: us.name, isBot: true }
    return { id, name: known?.name ?? cleanName("", id), isBot: known?.isBot ?? false }
  }

  const handleReaction = (d: Reaction, added: boolean) => {
    const room = rooms.roomOf(d.channel_id, d.guild_id ?? null, d.user_id)
    const emoji = d.emoji.id ? `:${d.emoji.name ?? ""}:` : (d.emoji.name ?? "")
    const author = authorOf(d.user_id, d.member)
    onEvent({ kind: "reaction", room, id: d.message_id, author, emoji, added, at: needs.now() })
  }

  const handleDeletion = (channel: string, guild: string | undefined, ids: string[]) => {
    const room = rooms.roomOf(channel, guild ?? null, "")
    onEvent({ kind: "deleted", room, ids, at: needs.now() })
  }

  const handleGuild = (guild: GatewayGuild) => {
    rooms.addGuild(guild)
    const ourselves = guild.members?.find(({ user }) => user?.id === us.id)
    if (ourselves) rooms.setOwnRoles(guild.id, ourselves.roles)
  }

  /** Handles changes of guilds, channels and roles; false for other packets. */
  const handleRoomChange = (packet: GatewayDispatchPayload): boolean => {
    switch (packet.t) {
      case "GUILD_CREATE":
      case "GUILD_UPDATE":
        handleGuild(packet.d as GatewayGuild)
        return true
      case "GUILD_MEMBER_UPDATE":
        if (packet.d.user.id === us.id) rooms.setOwnRoles(packet.d.guild_id, packet.d.roles)
        return true
      case "GUILD_DELETE":
        if (!packet.d.unavailable) rooms.removeGuild(packet.d.id)
        return true
      case "CHANNEL_CREATE":
      case "CHANNEL_UPDATE":
      case "THREAD_CREATE":
      case "THREAD_UPDATE":
        rooms.addChannel(packet.d)
        return true
      case "CHANNEL_DELETE":
      case "THREAD_DELETE":
        rooms.removeChannel(packet.d.id)
        return true
      case "THREAD_LIST_SYNC":
        for (const thread of packet.d.threads) rooms.addChannel(thread, packet.d.guild_id)
        return true
      case "GUILD_ROLE_CREATE":
      case "GUILD_ROLE_UPDATE":
        rooms.setRole(packet.d.guild_id, packet.d.role)
        return true
      default:
        return false
    }
  }

  /** The handler of a packet in a channel; undefined for other packets. */
  const handlerFor = (packet: ChannelPacket): (() => void) | undefined => {
    const { t, d } = packet
    switch (t) {
      case "MESSAGE_CREATE":
        return () => handleMessage(d as GatewayMessage)
      case "MESSAGE_UPDATE":
        return () => handleEdit(d as GatewayMessage)
      case "MESSAGE_DELETE":
        return () => handleDeletion(d.channel_id, d.guild_id, [d.id])
      case "MESSAGE_DELETE_BULK":
        return () => handleDeletion(d.channel_id, d.guild_id, d.ids)
      case "MESSAGE_REACTION_ADD":
      case "MESSAGE_REACTION_REMOVE":
        return () => handleReaction(d as Reaction, t === "MESSAGE_REACTION_ADD")
      default:
        return undefined
    }
  }

  return (packet: GatewayDispatchPayload): void => {
    if (handleRoomChange(packet)) return
    const act = handlerFor(packet as ChannelPacket)
    if (act) inChannel((packet as ChannelPacket).d.channel_id, act)
  }
}

/** The packets that belong to a channel. */
type ChannelPacket = Extract<
  GatewayDispatchPayload,
  { t: `MESSAGE_${"CREATE" | "UPDATE" | "DELETE" | "DELETE_BULK"}` | `MESSAGE_REACTION_${"ADD" | "REMOVE"}` }
>

type Member = { nick?: string | null; user?: GatewayMessage["author"] } | undefined
interface Reaction {
  channel_id: string
  guild_id?: string
  user_id: string
  member?: Member
  message_id: string
  emoji: { id: string | null; name: string | null }
}
