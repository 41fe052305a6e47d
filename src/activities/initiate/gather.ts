import type { RoomRef } from "../../chat/channels/channel.ts"
import { type ConversationState, communityKey, type Line, roomKey } from "../../chat/conversation/state.ts"
import { findCandidates } from "../../chat/discovery/candidates.ts"
import type { Candidate } from "../../chat/discovery/choose/rank.ts"
import { topicWords } from "../../chat/discovery/choose/topics.ts"
import type { Performance } from "../../chat/feedback/performance.ts"
import type { Thought } from "../../chat/initiative/thought.ts"
import type { MediaKind } from "../../chat/media/plan.ts"
import type { RoomPolicy } from "../../chat/policy/room-policy.ts"
import type { MemoryCore } from "../../memory/model/memory-core.ts"
import { recallFor } from "../listen/recall-for.ts"

export interface GatherNeeds extends MemoryCore {
  policy(room: RoomRef): RoomPolicy
  /** How many media of each kind may still be made today; null if none can be made. */
  mediaLeft(community: string): Promise<Record<MediaKind, number> | null>
  performance(community: string): Promise<Performance>
}

/** One channel that a post may go to. */
export interface ChannelView {
  /** Its name in the prompt. */
  label: string
  room: RoomRef
  /** The newest messages, the oldest first. */
  lines: Line[]
  peopleLastHour: number
  lastPersonAt: number | null
  lastOwnAt: number | null
  isBusy: boolean
}

/** The context of a community, in the order of the prompt. */
export interface Gathered {
  community: string
  thought: Thought | null
  /** Whether there are new messages since the thought was last reviewed. */
  hasChanged: boolean
  channels: ChannelView[]
  feed: Candidate[]
  performance: Performance
  interests: string[]
  memory: string[]
  behaviour: string[]
  mediaLeft: Record<MediaKind, number> | null
  /** Names the newest messages of all channels. */
  mark: string | null
}

const hourMs = 3_600_000
const mostInterests = 10

/** Gathers the context of a community. It contains nothing of other communities or of blocked users. */
export async function gather(
  needs: GatherNeeds,
  rooms: readonly { room: RoomRef; state: ConversationState | null; isBusy: boolean }[],
  thought: Thought | null,
): Promise<Gathered> {
  const { clock, config } = needs
  const { initiative } = config.chat
  const first = rooms[0]?.room
  if (first === undefined) throw new Error("There is no channel to consider.")
  const community = communityKey(first)
  const now = clock.now()
  const channels = rooms.map(({ room, state, isBusy }, index) =>
    viewChannel(
      { label: `c${index + 1}`, room, isBusy },
      shownLines(needs, room, state),
      initiative.text.lookback_messages,
      now,
    ),
  )
  const all = rooms.flatMap(({ room, state }) => shownLines(needs, room, state))
  const said = all
    .filter(({ isOurs, author }) => !isOurs && !author.isBot)
    .map(({ author, text }) => ({ author: author.id, text }))
  const performance = await needs.performance(community)
  const feed = await findCandidates(needs, initiative.discovery, {
    ...{ community, feedback: performance.bySource },
    messages: all.map(({ author, text }) => ({ author: author.id, text })),
  })
  const query = [...said.slice(-12).map(({ text }) => text), thought?.text ?? ""].join("\n")
  const policy = needs.policy(first)
  const memory = await recallFor(needs, policy, first, { query, limit: 8, isAsked: false })
  const about = `${config.chat.name} posts messages links prefer like dislike welcome tired of`
  const behaviour = await recallFor(needs, policy, first, { query: about, limit: 4, isAsked: false })
  const mark = markOf(rooms)
  return {
    ...{ community, thought, channels, feed, performance, memory, mark },
    hasChanged: thought !== null && thought.mark !== mark,
    interests: topicWords(said, mostInterests),
    behaviour: behaviour.filter((line) => !memory.includes(line)),
    mediaLeft: await needs.mediaLeft(community),
  }
}

/** Names the newest messages of some rooms; it changes with every message. */
export function markOf(rooms: readonly { room: RoomRef; state: ConversationState | null }[]): string | null {
  const newest = rooms.flatMap(({ room, state }) => {
    const last = state?.recent?.findLast(({ isOurs }) => !isOurs)
    return last ? [`${roomKey(room)}#${last.id}`] : []
  })
  return newest.length === 0 ? null : newest.join(" ")
}

function shownLines({ policy }: GatherNeeds, room: RoomRef, state: ConversationState | null): Line[] {
  const { isBlocked } = policy(room)
  return (state?.recent ?? []).filter(({ isOurs, author }) => isOurs || !isBlocked(author))
}

function viewChannel(
  channel: Pick<ChannelView, "label" | "room" | "isBusy">,
  lines: readonly Line[],
  most: number,
  now: number,
): ChannelView {
  const people = lines.filter(({ isOurs, author }) => !isOurs && !author.isBot)
  return {
    ...channel,
    lines: lines.slice(-most),
    peopleLastHour: people.filter(({ at }) => at > now - hourMs).length,
    lastPersonAt: people.at(-1)?.at ?? null,
    lastOwnAt: lines.findLast(({ isOurs }) => isOurs)?.at ?? null,
  }
}
