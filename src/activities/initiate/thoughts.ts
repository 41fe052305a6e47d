import { UserError } from "../../base/errors.ts"
import { communityKey, roomKey } from "../../chat/conversation/state.ts"
import { type CommunityState, type Gate, thoughtEntryLabels } from "../../chat/initiative/community.ts"
import { storedCommunities } from "../../chat/initiative/store.ts"
import type { Thought } from "../../chat/initiative/thought.ts"
import type { Config } from "../../config/schema.ts"
import type { Database } from "../../storage/database.ts"
import { type JournalEntry, readJournal } from "../../storage/journal.ts"

/** A community's thoughts, for users. */
export interface CommunityThoughts {
  community: string
  /** The thought that is held or being posted. */
  thought:
    | (Omit<Thought, "room" | "mark" | "revisitAt" | "postingAs"> & { room: string; isLeaving: boolean })
    | null
  /** How many posts of its own it made within 24 hours. */
  postsToday: number
  /** Why nothing is posted now; null while something is under way. */
  silence: { gate: Gate; reason: string; since: number } | null
  /** The results of its thoughts, the newest first. */
  recent: { at: number; kind: string; what: string; reason: string; room: string | null }[]
}

const dayMs = 86_400_000

/** Reports the thoughts of each community, or of one, and why nothing is posted. */
export async function reportThoughts(
  { db, config, now }: { db: Database; config: Config; now: number },
  { community, limit }: { community?: string | undefined; limit: number },
): Promise<{ communities: CommunityThoughts[]; note: string | null }> {
  const all = await storedCommunities(db)
  const found = community === undefined ? all : all.filter((one) => isNamed(one, community))
  if (community !== undefined && found.length === 0)
    throw new UserError(
      "not-found",
      `It has considered no community called ${community}; name it as PLATFORM/COMMUNITY, such as discord/1490282656913559673.`,
    )
  const communities: CommunityThoughts[] = []
  for (const state of found) communities.push(await reportCommunity(db, state, { now, limit }))
  return { communities, note: noteOn(config, communities) }
}

function isNamed(state: CommunityState, name: string): boolean {
  const wanted = name.toLowerCase()
  return [communityKey(state), state.community].some((one) => one.toLowerCase() === wanted)
}

async function reportCommunity(
  db: Database,
  state: CommunityState,
  { now, limit }: { now: number; limit: number },
): Promise<CommunityThoughts> {
  const community = communityKey(state)
  const kind = Object.keys(labels)
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

const labels: Record<string, string> = thoughtEntryLabels

function inWords({ at, kind, data }: JournalEntry): CommunityThoughts["recent"][number] {
  const { reason = "", room } = (data ?? {}) as { reason?: string; room?: Thought["room"] }
  return { at, kind, what: labels[kind] ?? kind, reason, room: room ? roomKey(room) : null }
}

/** Why there are no thoughts, if the settings are the reason. */
function noteOn({ chat }: Config, communities: readonly CommunityThoughts[]): string | null {
  if (!chat.initiative.text.enabled)
    return "It posts nothing on its own: chat.initiative.text.enabled is off."
  if (chat.policy.discovery_channels.length === 0)
    return "It starts no topics on its own: chat.policy.discovery_channels is empty. List the channels there in which it may."
  if (communities.length > 0) return null
  return "It has not considered any community yet. It knows a channel once somebody has written there while it listened."
}
