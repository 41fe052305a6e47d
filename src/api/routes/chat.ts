import { Hono } from "hono"
import { rehearse } from "../../activities/initiate/rehearse.ts"
import { type CommunityThoughts, tellThoughts } from "../../activities/initiate/thoughts.ts"
import { muteEverywhere, muteRooms } from "../../activities/listen/mute.ts"
import { explainRoom } from "../../activities/listen/policy-of.ts"
import { tellWhy } from "../../activities/listen/why.ts"
import { isoTime } from "../../base/clock.ts"
import { roomKey } from "../../chat/conversation/state.ts"
import { dayOf, type Usage, usageSince } from "../../chat/supervisor/store.ts"
import { schemaVersion } from "../answers/answer.ts"
import { chatState } from "../answers/chat.ts"
import {
  type ChatAnswer,
  type ChatMuteAnswer,
  type ChatPolicyAnswer,
  type ChatRehearseAnswer,
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
