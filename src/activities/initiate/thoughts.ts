import { UserError } from "../../base/errors.ts"
import { communityKey, roomKey } from "../../chat/conversation/state.ts"
import { type CommunityState, type Gate, thoughtDeeds } from "../../chat/initiative/community.ts"
import { storedCommunities } from "../../chat/initiative/store.ts"
import type { Thought } from "../../chat/initiative/thought.ts"
import type { Config } from "../../config/schema.ts"
import type { Database } from "../../storage/database.ts"
import { type JournalEntry, readJournal } from "../../storage/journal.ts"

/** A community's thoughts, for people. */
export interface CommunityThoughts {
  community: string
  /** The one that is held, or is being said. */
  thought:
    | (Omit<Thought, "room" | "mark" | "revisitAt" | "postingAs"> & { room: string; isLeaving: boolean })
    | null
  /** How many things of its own it said within 24 hours. */
  postsToday: number
  /** Why nothing is said now; null while something is under way. */
  silence: { gate: Gate; reason: string; since: number } | null
  /** What became of its thoughts, the newest first. */
  recent: { at: number; kind: string; what: string; reason: string; room: string | null }[]
}

const dayMs = 86_400_000

/** What it thought of saying in each community, or in one, and why it said nothing. */
export async function tellThoughts(
  { db, config, now }: { db: Database; config: Config; now: number },
  { community, limit }: { community?: string | undefined; limit: number },
): Promise<{ communities: CommunityThoughts[]; note: string | null }> {
  const all = await storedCommunities(db)
  const found = community === undefined ? all : all.filter((one) => isNamed(one, community))
  if (community !== undefined && found.length === 0)
    throw new UserError(
      "not-found",
      `It has thought about no community called ${community}; name it as PLATFORM/COMMUNITY, such as discord/1490282656913559673.`,
    )
  const communities: CommunityThoughts[] = []
  for (const state of found) communities.push(await tellOne(db, state, { now, limit }))
  return { communities, note: noteOn(config, communities) }
}

function isNamed(state: CommunityState, name: string): boolean {
  const wanted = name.toLowerCase()
  return [communityKey(state), state.community].some((one) => one.toLowerCase() === wanted)
}

async function tellOne(
  db: Database,
  state: CommunityState,
  { now, limit }: { now: number; limit: number },
): Promise<CommunityThoughts> {
  const community = communityKey(state)
  const kind = Object.keys(deeds)
  const entries = await readJournal(db, { kind, subject: community, newestFirst: true, limit })
  const { thought, posts, refusal } = state
  return {
    community,
    thought: thought && shownThought(thought),
    postsToday: posts.filter((at) => at > now - dayMs).length,
    silence: refusal && { gate: refusal.gate, reason: refusal.reason, since: refusal.since },
    recent: entries.map(inWords),
  }
}

function shownThought({ room, mark: _, revisitAt: __, postingAs, ...rest }: Thought) {
  return { ...rest, room: roomKey(room), isLeaving: postingAs !== null }
}

const deeds: Record<string, string> = thoughtDeeds

function inWords({ at, kind, data }: JournalEntry): CommunityThoughts["recent"][number] {
  const { reason = "", room } = (data ?? {}) as { reason?: string; room?: Thought["room"] }
  return { at, kind, what: deeds[kind] ?? kind, reason, room: room ? roomKey(room) : null }
}

/** Why there is nothing to tell, where settings say so. */
function noteOn({ chat }: Config, communities: readonly CommunityThoughts[]): string | null {
  if (!chat.initiative.text.enabled)
    return "It has no thoughts of its own: chat.initiative.text.enabled is off."
  if (chat.policy.discovery_channels.length === 0)
    return "It begins no subject by itself: chat.policy.discovery_channels is empty. Name the channels there in which it may."
  if (communities.length > 0) return null
  return "It has not thought about any community yet. It knows a channel once somebody has said something there while it listened."
}
