import { rehearse } from "../../activities/initiate/rehearse.ts"
import { type CommunityThoughts, reportThoughts } from "../../activities/initiate/thoughts.ts"
import { explainMessage } from "../../activities/listen/explain/message.ts"
import { explainRoom } from "../../activities/listen/explain/room.ts"
import { reportSources } from "../../activities/listen/feedback/sources.ts"
import { muteEverywhere, muteRooms } from "../../activities/listen/mute.ts"
import { isoTime } from "../../base/clock.ts"
import { roomKey } from "../../chat/conversation/state.ts"
import { undoAgentChange } from "../../chat/discovery/overview.ts"
import { dayOf, type Usage, usageSince } from "../../chat/supervisor/store.ts"
import { chatState } from "../answers/chat.ts"
import type { ChatSourceJson } from "../contract/chat-answers.ts"
import { isoTimes } from "../contract/iso-times.ts"
import type { AppNeeds } from "../needs.ts"
import type { AddRoute } from "../routing.ts"

const dayMs = 86_400_000

/** Chat channels: state, policy, decisions, cost, sources and muting. */
export function chatRoutes(on: AddRoute, needs: AppNeeds): void {
  const { db, clock } = needs
  on("chat", async () => ({ chat: await chatState(needs) }))
  on("chatPolicy", async (asked) => {
    const { room, sentences } = await explainRoom(needs, asked)
    return { room: roomKey(room).replace("//", "/"), sentences }
  })
  on("chatWhy", async (asked) => {
    return { decisions: (await explainMessage(db, asked)).map(isoTimes) }
  })
  on("chatThoughts", async (asked) => {
    const { communities, note } = await reportThoughts({ db, config: needs.config, now: clock.now() }, asked)
    return { note, communities: communities.map(thoughtsJson) }
  })
  on("chatStats", async ({ days }) => {
    const since = dayOf(clock.now() - (days - 1) * dayMs)
    const rooms = (await usageSince(db, since)).map(({ room, ...counts }) => ({ room, ...inUsd(counts) }))
    const total = { messages: 0, calls: 0, replies: 0, silences: 0, usd: 0 }
    for (const one of rooms)
      for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += one[name]
    return { since, rooms, total }
  })
  on("chatSources", async ({ community }) => {
    const { sources, changes } = await reportSources(needs, community)
    return { sources: sources.map(sourceJson), changes: changes.map(isoTimes) }
  })
  on("chatSourcesUndo", async ({ id }, { by }) => {
    return { outcome: "undone", ...(await undoAgentChange(needs, id, by())) }
  })
  on("chatRehearse", async (asked, { context }) => {
    const { signal } = context.req.raw
    const models = needs.thoughtModels?.() ?? needs.models
    const { from, until, steps, ...rest } = await rehearse({ ...needs, models }, { ...asked, signal })
    return { ...rest, from: isoTime(from), until: isoTime(until), steps: steps.map(isoTimes) }
  })
  on("chatMute", async ({ channel, off }, call) => {
    const outcome = off ? "unmuted" : "muted"
    const listening = needs.daemon?.listening?.()
    const by = call.by()
    if (channel === undefined) {
      await muteEverywhere(needs, listening, !off, by)
      return { outcome, rooms: null }
    }
    const rooms = await muteRooms(needs, listening, { channel, isMuted: !off }, by)
    return { outcome, rooms: rooms.map(roomKey) }
  })
}

function sourceJson(one: Awaited<ReturnType<typeof reportSources>>["sources"][number]): ChatSourceJson {
  const { key: source, family, title, addedBy, community, state, entries, isOn, taken, change } = one
  const { fetchedAt = 0, nextAt = 0, failures = 0, error = null } = state ?? {}
  const { shared = 0, liked = 0, disliked = 0, ignored = 0 } = taken ?? {}
  const going = state === undefined ? "new" : failures > 0 ? "failing" : "ok"
  return {
    ...{ source, family, title, addedBy, community, state: isOn ? going : "off" },
    ...{ lastRead: state ? isoTime(fetchedAt) : null, nextRead: state ? isoTime(nextAt) : null },
    ...{ failures, error, entries, shared, liked, disliked, ignored, change },
  }
}

function thoughtsJson({ thought, silence, recent, ...rest }: CommunityThoughts) {
  return {
    ...rest,
    thought: thought && isoTimes(thought),
    silence: silence && { ...silence, since: isoTime(silence.since) },
    recent: recent.map(isoTimes),
  }
}

function inUsd({ microUsd, ...counts }: Usage) {
  return { ...counts, usd: microUsd / 1e6 }
}
