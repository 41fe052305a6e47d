import type { Random } from "../../base/random.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { type ConversationState, communityKey, type Line, roomKey } from "../../chat/conversation/state.ts"
import { findCandidates } from "../../chat/discovery/candidates.ts"
import type { Candidate } from "../../chat/discovery/choose/rank.ts"
import { topicWords } from "../../chat/discovery/choose/topics.ts"
import type { Thought } from "../../chat/initiative/thought.ts"
import type { RoomPolicy } from "../../chat/policy/room-policy.ts"
import type { RetrieveNeeds } from "../../memory/find/retrieve.ts"
import { recallFor } from "../listen/recall-for.ts"
import type { InitiativeParts, Performance } from "./parts.ts"

export interface GatherNeeds extends RetrieveNeeds {
  random: Random
  parts: InitiativeParts
  policy(room: RoomRef): RoomPolicy
}

/** One channel that something may be said in. */
export interface ChannelView {
  /** What the model calls it. */
  label: string
  room: RoomRef
  /** The newest messages, the oldest first. */
  lines: Line[]
  /** How many messages of people came within the last hour, and when the last of all did. */
  peopleLastHour: number
  lastPersonAt: number | null
  lastOwnAt: number | null
  isBusy: boolean
}

/** Everything a look knows of a community, in the order in which the model is shown it. */
export interface Gathered {
  community: string
  thought: Thought | null
  /** Whether something was said since the thought was last looked at. */
  hasChanged: boolean
  channels: ChannelView[]
  feed: Candidate[]
  performance: Performance
  interests: string[]
  memory: string[]
  behaviour: string[]
  mediaLeft: Record<"image" | "video" | "gif", number> | null
  /** The newest message of all. */
  mark: string | null
}

const hourMs = 3_600_000
const mostInterests = 10

/** Puts together what is known of a community. Nothing of another community, and nothing of blocked people, gets in. */
export async function gather(
  needs: GatherNeeds,
  rooms: readonly { room: RoomRef; state: ConversationState | null; isBusy: boolean }[],
  thought: Thought | null,
): Promise<Gathered> {
  const { clock, config, parts } = needs
  const { initiative } = config.chat
  const first = rooms[0]?.room
  if (first === undefined) throw new Error("There is no channel to think about.")
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
  const performance = await parts.feedback.performance(community)
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
    mediaLeft: await parts.media.left(community),
  }
}

/** The newest message of some rooms; it changes with every message. */
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
