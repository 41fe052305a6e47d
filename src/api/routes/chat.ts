import { Hono } from "hono"
import { rehearse } from "../../activities/initiate/rehearse.ts"
import { type CommunityThoughts, tellThoughts } from "../../activities/initiate/thoughts.ts"
import { reportSources } from "../../activities/listen/feedback/sources.ts"
import { muteEverywhere, muteRooms } from "../../activities/listen/mute.ts"
import { explainRoom } from "../../activities/listen/policy-of.ts"
import { tellWhy } from "../../activities/listen/why.ts"
import { isoTime } from "../../base/clock.ts"
import { roomKey } from "../../chat/conversation/state.ts"
import { undoAgentChange } from "../../chat/discovery/overview.ts"
import { dayOf, type Usage, usageSince } from "../../chat/supervisor/store.ts"
import { schemaVersion } from "../answers/answer.ts"
import { chatState } from "../answers/chat.ts"
import {
  type ChatAnswer,
  type ChatMuteAnswer,
  type ChatPolicyAnswer,
  type ChatRehearseAnswer,
  type ChatSourcesAnswer,
  type ChatSourcesUndoAnswer,
  type ChatStatsAnswer,
  type ChatThoughtsAnswer,
  type ChatWhyAnswer,
  requests,
} from "../contract.ts"
import { bodyOf, byOf, queryOf } from "../input.ts"
import type { AppNeeds } from "../needs.ts"

const dayMs = 86_400_000

/** Chat channels: how they stand, what would happen in one, why something happened, what it costs, and muting. */
export function chatRoutes(needs: AppNeeds): Hono {
  const { db, clock } = needs
  const routes = new Hono()
  routes.get("/", async (context) =>
    context.json<ChatAnswer>({ schemaVersion, chat: await chatState(needs) }),
  )
  routes.get("/policy", async (context) => {
    const { room, sentences } = await explainRoom(needs, queryOf(context, requests.chatPolicy))
    return context.json<ChatPolicyAnswer>({
      schemaVersion,
      room: roomKey(room).replace("//", "/"),
      sentences,
    })
  })
  routes.get("/why", async (context) => {
    const decisions = await tellWhy(db, queryOf(context, requests.chatWhy))
    const shown = decisions.map((one) => ({ ...one, at: isoTime(one.at) }))
    return context.json<ChatWhyAnswer>({ schemaVersion, decisions: shown })
  })
  routes.get("/thoughts", async (context) => {
    const asked = queryOf(context, requests.chatThoughts)
    const { communities, note } = await tellThoughts({ db, config: needs.config, now: clock.now() }, asked)
    return context.json<ChatThoughtsAnswer>({ schemaVersion, note, communities: communities.map(inIso) })
  })
  routes.get("/stats", async (context) => {
    const { days } = queryOf(context, requests.chatStats)
    const since = dayOf(clock.now() - (days - 1) * dayMs)
    const rooms = (await usageSince(db, since)).map(({ room, ...counts }) => ({ room, ...inUsd(counts) }))
    const total = { messages: 0, calls: 0, replies: 0, silences: 0, usd: 0 }
    for (const one of rooms)
      for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += one[name]
    return context.json<ChatStatsAnswer>({ schemaVersion, since, rooms, total })
  })
  routes.get("/sources", async (context) => {
    const { community } = queryOf(context, requests.chatSources)
    const { sources, changes } = await reportSources(needs, community)
    return context.json<ChatSourcesAnswer>({
      schemaVersion,
      sources: sources.map(sourceJson),
      changes: changes.map((one) => ({ ...one, at: isoTime(one.at) })),
    })
  })
  routes.post("/sources/undo", async (context) => {
    const { id } = await bodyOf(context, requests.chatSourcesUndo)
    const undone = await undoAgentChange(needs, id, byOf(context, needs))
    return context.json<ChatSourcesUndoAnswer>({ schemaVersion, outcome: "undone", ...undone })
  })
  routes.post("/rehearse", async (context) => {
    const asked = await bodyOf(context, requests.chatRehearse)
    const { signal } = context.req.raw
    const models = needs.thoughtModels?.() ?? needs.models
    const { from, until, steps, ...rest } = await rehearse({ ...needs, models }, { ...asked, signal })
    return context.json<ChatRehearseAnswer>({
      ...{ schemaVersion, ...rest, from: isoTime(from), until: isoTime(until) },
      steps: steps.map((step) => ({ ...step, at: isoTime(step.at) })),
    })
  })
  routes.post("/mute", async (context) => {
    const { channel, off } = await bodyOf(context, requests.chatMute)
    const outcome = off ? "unmuted" : "muted"
    const listening = needs.daemon?.listening?.()
    const by = byOf(context, needs)
    if (channel === undefined) {
      await muteEverywhere(needs, listening, !off, by)
      return context.json<ChatMuteAnswer>({ schemaVersion, outcome, rooms: null })
    }
    const rooms = await muteRooms(needs, listening, { channel, isMuted: !off }, by)
    return context.json<ChatMuteAnswer>({ schemaVersion, outcome, rooms: rooms.map(roomKey) })
  })
  return routes
}

function sourceJson(one: Awaited<ReturnType<typeof reportSources>>["sources"][number]) {
  const { key: source, family, title, addedBy, community, state, entries, isOn, taken, change } = one
  const { fetchedAt = 0, nextAt = 0, failures = 0, error = null } = state ?? {}
  const { shared = 0, liked = 0, disliked = 0, ignored = 0 } = taken ?? {}
  const going = state === undefined ? "new" : failures > 0 ? "failing" : "ok"
  return {
    ...{
      source,
      family,
      title,
      addedBy,
      community,
      state: isOn ? (going as "new" | "ok" | "failing") : ("off" as const),
    },
    ...{ lastRead: state ? isoTime(fetchedAt) : null, nextRead: state ? isoTime(nextAt) : null },
    ...{ failures, error, entries, shared, liked, disliked, ignored, change },
  }
}

function inIso({ thought, silence, recent, ...rest }: CommunityThoughts) {
  return {
    ...rest,
    thought: thought && {
      ...thought,
      createdAt: isoTime(thought.createdAt),
      updatedAt: isoTime(thought.updatedAt),
      expiresAt: isoTime(thought.expiresAt),
    },
    silence: silence && { ...silence, since: isoTime(silence.since) },
    recent: recent.map((one) => ({ ...one, at: isoTime(one.at) })),
  }
}

function inUsd({ microUsd, ...counts }: Usage) {
  return { ...counts, usd: microUsd / 1e6 }
}
