import type { GatewayDispatchPayload } from "discord.js"
import { parseTime } from "../../../base/clock.ts"
import type { Author, ChannelEvent } from "../channel.ts"
import { createSeenIds } from "../seen-ids.ts"
import { cleanName } from "../text/clean.ts"
import {
  isSpoken,
  isStripped,
  type ReadNeeds,
  readMessage,
  type SeenMessage,
  textOf,
} from "./read-message.ts"
import type { SeenGuild } from "./rooms.ts"
import { emptyContent } from "./sentences.ts"

/** Fetches a channel we were not told of, such as a thread that slept, and notes it. */
type FetchChannel = (id: string) => Promise<void>

const mostIds = 5000

/** Turns what Discord's gateway sends into our events: each message once, and in the order of its channel. */
export function createPacketReader(
  needs: ReadNeeds,
  fetchChannel: FetchChannel,
  onEvent: (event: ChannelEvent) => void,
) {
  const { rooms, us } = needs
  const seen = createSeenIds(mostIds)
  const edits = createSeenIds(mostIds)
  const fetching = new Map<string, Promise<void>>()
  let hasToldEmpty = false

  /** Runs at once where the channel is known, else behind its fetching, and what came before for it. */
  const inChannel = (id: string, run: () => void) => {
    const before = fetching.get(id)
    if (before === undefined && rooms.knows(id)) return run()
    const now = (before ?? fetchChannel(id)).then(run).finally(() => {
      if (fetching.get(id) === now) fetching.delete(id)
    })
    fetching.set(id, now)
  }

  const takeMessage = (message: SeenMessage) => {
    if (!isSpoken(message) || !seen.add(message.id)) return
    const read = readMessage(needs, message, null)
    if (!read.isOurs && isStripped(message)) {
      if (!hasToldEmpty) onEvent({ kind: "problem", problem: emptyContent, isFatal: false, at: needs.now() })
      hasToldEmpty = true
      return
    }
    onEvent({ kind: "message", message: read })
  }

  /** Only what people changed: Discord also updates a message when it adds the preview of a link. */
  const takeUpdate = (message: SeenMessage) => {
    const editedAt = message.edited_timestamp
    if (!editedAt || message.content === undefined || !isSpoken(message)) return
    if (!edits.add(`${message.id} ${editedAt}`) || isStripped(message)) return
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

  const takeReaction = (d: Reaction, added: boolean) => {
    const room = rooms.roomOf(d.channel_id, d.guild_id ?? null, d.user_id)
    const emoji = d.emoji.id ? `:${d.emoji.name ?? ""}:` : (d.emoji.name ?? "")
    const author = authorOf(d.user_id, d.member)
    onEvent({ kind: "reaction", room, id: d.message_id, author, emoji, added, at: needs.now() })
  }

  const takeDeletion = (channel: string, guild: string | undefined, ids: string[]) => {
    const room = rooms.roomOf(channel, guild ?? null, "")
    onEvent({ kind: "deleted", room, ids, at: needs.now() })
  }

  const takeGuild = (guild: SeenGuild) => {
    rooms.addGuild(guild)
    const ourselves = guild.members?.find(({ user }) => user?.id === us.id)
    if (ourselves) rooms.setOwnRoles(guild.id, ourselves.roles)
  }

  /** Servers, channels and roles as they come and go; false where it is about something else. */
  const takeRoom = (packet: GatewayDispatchPayload): boolean => {
    switch (packet.t) {
      case "GUILD_CREATE":
      case "GUILD_UPDATE":
        takeGuild(packet.d as SeenGuild)
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

  /** What to do about something that happened in a channel; undefined where nothing is. */
  const doneFor = (packet: ChannelPacket): (() => void) | undefined => {
    const { t, d } = packet
    switch (t) {
      case "MESSAGE_CREATE":
        return () => takeMessage(d as SeenMessage)
      case "MESSAGE_UPDATE":
        return () => takeUpdate(d as SeenMessage)
      case "MESSAGE_DELETE":
        return () => takeDeletion(d.channel_id, d.guild_id, [d.id])
      case "MESSAGE_DELETE_BULK":
        return () => takeDeletion(d.channel_id, d.guild_id, d.ids)
      case "MESSAGE_REACTION_ADD":
      case "MESSAGE_REACTION_REMOVE":
        return () => takeReaction(d as Reaction, t === "MESSAGE_REACTION_ADD")
      default:
        return undefined
    }
  }

  return (packet: GatewayDispatchPayload): void => {
    if (takeRoom(packet)) return
    const act = doneFor(packet as ChannelPacket)
    if (act) inChannel((packet as ChannelPacket).d.channel_id, act)
  }
}

/** The packets that belong to a channel. */
type ChannelPacket = Extract<
  GatewayDispatchPayload,
  { t: `MESSAGE_${"CREATE" | "UPDATE" | "DELETE" | "DELETE_BULK"}` | `MESSAGE_REACTION_${"ADD" | "REMOVE"}` }
>

type Member = { nick?: string | null; user?: SeenMessage["author"] } | undefined
interface Reaction {
  channel_id: string
  guild_id?: string
  user_id: string
  member?: Member
  message_id: string
  emoji: { id: string | null; name: string | null }
}
