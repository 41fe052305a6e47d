import type { APIAttachment, APIEmbed, APIMessage, APIUser } from "discord.js"
import { isoTime, parseTime } from "../../../base/clock.ts"
import { bytesText, shorten } from "../../../base/text/text.ts"
import type { ChatMessage } from "../channel.ts"
import { cleanText } from "../text/clean.ts"
import type { Rooms } from "./rooms.ts"

/** A message as the gateway or the history gives it. */
export type GatewayMessage = APIMessage & {
  guild_id?: string
  member?: { nick?: string | null }
}

export interface ReadNeeds {
  rooms: Rooms
  /** Our own user. */
  us: { id: string; name: string }
  now(): number
}

/** The message types with content of users: messages, replies, and answers to commands. The others are notices. */
const userTypes: readonly number[] = [0, 19, 20, 23]

/** Whether a message is not a notice of Discord, such as that somebody joined. */
export function isUserMessage({ type }: Pick<APIMessage, "type">): boolean {
  return userTypes.includes(type)
}

export function readMessage(needs: ReadNeeds, message: GatewayMessage, guild: string | null): ChatMessage {
  const { rooms, us } = needs
  const room = rooms.roomOf(message.channel_id, message.guild_id ?? guild, message.author.id)
  const isPrivate = rooms.isPrivate(room)
  const name = rooms.nameOf(message.author, message.member?.nick)
  const replyTo = replyOf(us.id, message)
  return {
    id: message.id,
    room,
    author: { id: message.author.id, name, isBot: isBot(message.author, message) },
    text: textOf(needs, message, isPrivate ? null : room.community),
    at: parseTime(message.timestamp) ?? needs.now(),
    replyTo,
    mentionsUs: replyTo?.isOurs === true || mentionsUs(needs, message, room.community),
    isPrivate,
    isVoice: false,
    isOurs: message.author.id === us.id,
  }
}

/** Whether Discord left out the content: users cannot send empty messages. */
export function lacksContent(message: GatewayMessage): boolean {
  const { content, attachments = [], embeds = [], sticker_items = [], components = [], poll } = message
  const parts = [content, attachments, embeds, sticker_items, components, message.message_snapshots ?? []]
  return isUserMessage(message) && poll === undefined && parts.every((part) => part.length === 0)
}

function isBot(author: APIUser, { webhook_id }: GatewayMessage): boolean {
  return author.bot === true || webhook_id !== undefined
}

function replyOf(us: string, message: GatewayMessage): ChatMessage["replyTo"] {
  const { message_reference: reference, referenced_message: referenced } = message
  // Type 1 is a forwarded message.
  if (reference?.message_id === undefined || reference.type === 1) return null
  return { id: reference.message_id, isOurs: referenced?.author.id === us }
}

function mentionsUs({ rooms, us }: ReadNeeds, message: GatewayMessage, guild: string): boolean {
  if (message.mentions.some(({ id }) => id === us.id)) return true
  // People mention the role that Discord created for the bot instead of the bot.
  return (message.mention_roles ?? []).some((id) => rooms.role(guild, id)?.tags?.bot_id === us.id)
}

/** The message as plain text: names for mentions, and a line for each attachment, embed, sticker or poll. */
export function textOf(needs: ReadNeeds, message: GatewayMessage, guild: string | null): string {
  const said = cleanText(withNames(needs, message, guild))
  const isVoice = ((message.flags ?? 0) & (1 << 13)) !== 0
  const lines = [
    ...(message.attachments ?? []).map((one) => (isVoice ? voiceLine(one) : attachmentLine(one))),
    ...(message.embeds ?? []).flatMap((embed) => embedLine(embed)),
    ...(message.sticker_items ?? []).map(({ name }) => `[sticker: ${shorten(name, 60)}]`),
    ...(message.poll?.question.text ? [`[poll: ${shorten(message.poll.question.text, 300)}]`] : []),
    ...(message.message_snapshots ?? []).map(
      ({ message: { content } }) => `[forwarded: ${shorten(cleanText(content), 1000)}]`,
    ),
  ]
  return [...(said.trim() === "" ? [] : [said]), ...lines].join("\n")
}

function withNames({ rooms, us }: ReadNeeds, message: GatewayMessage, guild: string | null): string {
  const mentioned = new Map(
    (message.mentions ?? []).map((user) => {
      const nick = "member" in user ? (user.member as { nick?: string | null }).nick : undefined
      return [user.id, rooms.nameOf(user, nick)]
    }),
  )
  const person = (id: string) =>
    id === us.id ? us.name : (mentioned.get(id) ?? rooms.knownUser(id)?.name ?? "somebody")
  return message.content
    .replaceAll(/<@!?(\d+)>/g, (_, id: string) => `@${person(id)}`)
    .replaceAll(/<@&(\d+)>/g, (_, id: string) => `@${rooms.role(guild, id)?.name ?? "role"}`)
    .replaceAll(/<#(\d+)>/g, (_, id: string) => `#${rooms.channelName(id) ?? "channel"}`)
    .replaceAll(/<a?(:\w+:)\d+>/g, "$1")
    .replaceAll(/<(\/[^:<>\n]{1,100}):\d+>/g, "$1")
    .replaceAll(/<t:(-?\d{1,11})(?::[tTdDfFR])?>/g, (_, seconds: string) => isoTime(Number(seconds) * 1000))
}

function attachmentLine({ filename, content_type, size, description }: APIAttachment): string {
  const facts = [content_type ?? "file", bytesText(size)].map((fact) => shorten(fact, 60)).join(", ")
  const said = description ? ` — ${shorten(description, 300)}` : ""
  return `[attachment: ${shorten(filename, 100)} (${facts})${said}]`
}

function voiceLine({ duration_secs }: APIAttachment): string {
  return `[voice message, ${Math.round(duration_secs ?? 0)} s]`
}

function embedLine({ title, description, url }: APIEmbed): string[] {
  const parts = [title, description, title || description ? undefined : url]
  const said = parts
    .filter((part) => part !== undefined && part !== "")
    .map((part) => shorten(part ?? "", 300))
  return said.length === 0 ? [] : [`[embed: ${said.join(" — ")}]`]
}
