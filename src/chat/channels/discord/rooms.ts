import type { APIChannel, APIGuild, APIRole, APIUser } from "discord.js"
import type { RoomRef } from "../channel.ts"
import { cleanName } from "../text/clean.ts"

/** What of a channel matters here. */
interface KnownChannel {
  guild: string | null
  name: string
  /** The channel a thread is in. */
  parent: string | null
  /** With whom, in private. */
  recipient: string | null
}

/** The parts of a guild that come when it appears. */
export interface SeenGuild extends Pick<APIGuild, "id" | "name" | "roles"> {
  channels?: APIChannel[]
  threads?: APIChannel[]
}

const mostNames = 5000
/** Public, private and announcement threads. */
const threadTypes: readonly number[] = [10, 11, 12]

/** The servers, channels, roles and people that Discord told us of. */
export function createRooms() {
  const channels = new Map<string, KnownChannel>()
  const guilds = new Map<string, { name: string; roles: Map<string, APIRole> }>()
  const names = new Map<string, { name: string; isBot: boolean }>()

  const addChannel = (channel: APIChannel, guild: string | null = null) => {
    const of = "guild_id" in channel ? (channel.guild_id ?? guild) : guild
    const recipient = "recipients" in channel ? (channel.recipients?.[0]?.id ?? null) : null
    const isThread = threadTypes.includes(channel.type)
    const parent = isThread && "parent_id" in channel ? (channel.parent_id ?? null) : null
    channels.set(channel.id, {
      guild: of,
      name: cleanName(channel.name ?? "", channel.id),
      parent,
      recipient,
    })
  }

  return {
    addChannel,
    removeChannel: (id: string) => void channels.delete(id),
    addGuild(guild: SeenGuild) {
      guilds.set(guild.id, {
        name: cleanName(guild.name, guild.id),
        roles: new Map(guild.roles.map((role) => [role.id, role])),
      })
      for (const channel of [...(guild.channels ?? []), ...(guild.threads ?? [])])
        addChannel(channel, guild.id)
    },
    setRole(guild: string, role: APIRole) {
      guilds.get(guild)?.roles.set(role.id, role)
    },
    removeGuild: (id: string) => void guilds.delete(id),
    communities: () => [...guilds].map(([id, { name }]) => ({ id, name })),
    knows: (channel: string) => channels.has(channel),
    channelName: (id: string) => channels.get(id)?.name,
    role: (guild: string | null, id: string) => guilds.get(guild ?? "")?.roles.get(id),
    /** The room a channel's id leads to; one that is not known stands for itself. */
    roomOf(id: string, guild: string | null, author: string): RoomRef {
      const known = channels.get(id)
      const of = known?.guild ?? guild
      const community = of ?? `dm:${known?.recipient ?? author}`
      const parent = known?.parent ?? null
      return { platform: "discord", community, channel: parent ?? id, thread: parent === null ? null : id }
    },
    isPrivate: (room: RoomRef) => room.community.startsWith("dm:"),
    /** Notes what somebody is called here, and gives it. */
    nameOf(user: APIUser, nick: string | null | undefined): string {
      const name = cleanName(nick ?? user.global_name ?? user.username, user.id)
      names.delete(user.id)
      names.set(user.id, { name, isBot: user.bot ?? false })
      const [oldest] = names.keys()
      if (names.size > mostNames && oldest !== undefined) names.delete(oldest)
      return name
    },
    knownUser: (id: string) => names.get(id),
  }
}
export type Rooms = ReturnType<typeof createRooms>
