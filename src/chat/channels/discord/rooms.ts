import type { APIChannel, APIGuild, APIOverwrite, APIRole, APIUser } from "discord.js"
import type { RoomRef } from "../channel.ts"
import { cleanName } from "../text/clean.ts"

interface KnownChannel {
  guild: string | null
  name: string
  /** The channel a thread is in. */
  parent: string | null
  /** The other user of a private channel. */
  recipient: string | null
  overwrites: readonly Overwrite[]
}

type Overwrite = Pick<APIOverwrite, "id" | "allow" | "deny">

/** The parts of a guild packet that we use. */
export interface GatewayGuild extends Pick<APIGuild, "id" | "name" | "roles"> {
  channels?: APIChannel[]
  threads?: APIChannel[]
  /** Only some for a large guild, but always ourselves. */
  members?: { user?: { id: string }; roles: string[] }[]
}

const mostNames = 5000
/** Public, private and announcement threads. */
const threadTypes: readonly number[] = [10, 11, 12]

const administrator = 1n << 3n
const attachFiles = 1n << 15n

function bitsOf(permissions: string | undefined): bigint {
  return /^\d{1,30}$/.test(permissions ?? "") ? BigInt(permissions ?? "0") : 0n
}

/** The guilds, channels, roles and users that Discord reported. */
export function createRooms() {
  const channels = new Map<string, KnownChannel>()
  const guilds = new Map<string, { name: string; roles: Map<string, APIRole> }>()
  const ownRoles = new Map<string, readonly string[]>()
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
      overwrites: "permission_overwrites" in channel ? (channel.permission_overwrites ?? []) : [],
    })
  }

  return {
    addChannel,
    setOwnRoles: (guild: string, roles: readonly string[]) => void ownRoles.set(guild, roles),
    /** Whether our permissions allow files; true if they are not known. */
    mayAttach({ community, channel }: RoomRef, us: string): boolean {
      const guild = guilds.get(community)
      const own = ownRoles.get(community)
      if (guild === undefined || own === undefined) return true
      const roleIds = [community, ...own]
      const all = roleIds.reduce((bits, id) => bits | bitsOf(guild.roles.get(id)?.permissions), 0n)
      if ((all & administrator) !== 0n) return true
      const overwrites = channels.get(channel)?.overwrites ?? []
      const steps = [[community], own, [us]].map((ids) => overwrites.filter(({ id }) => ids.includes(id)))
      const left = steps.reduce((bits, each) => {
        const denied = each.reduce((sum, { deny }) => sum | bitsOf(deny), 0n)
        const given = each.reduce((sum, { allow }) => sum | bitsOf(allow), 0n)
        return (bits & ~denied) | given
      }, all)
      return (left & attachFiles) !== 0n
    },
    removeChannel: (id: string) => void channels.delete(id),
    addGuild(guild: GatewayGuild) {
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
    /** The room of a channel id; an unknown channel is a room of its own. */
    roomOf(id: string, guild: string | null, author: string): RoomRef {
      const known = channels.get(id)
      const of = known?.guild ?? guild
      const community = of ?? `dm:${known?.recipient ?? author}`
      const parent = known?.parent ?? null
      return { platform: "discord", community, channel: parent ?? id, thread: parent === null ? null : id }
    },
    isPrivate: (room: RoomRef) => room.community.startsWith("dm:"),
    /** Stores and returns the name of a user. */
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
