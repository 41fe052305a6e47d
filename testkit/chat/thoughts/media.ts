import type { Clock } from "../../../src/base/clock.ts"
import type { Random } from "../../../src/base/random.ts"
import type { RoomRef } from "../../../src/chat/channels/channel.ts"
import { communityKey } from "../../../src/chat/conversation/state.ts"
import { makeMedia } from "../../../src/chat/media/make-media.ts"
import type { MediaKind, MediaPlan } from "../../../src/chat/media/plan.ts"
import type { Purpose } from "../../../src/chat/media/settings.ts"
import type { Think } from "../../../src/chat/supervisor/think.ts"
import type { Config } from "../../../src/config/schema.ts"
import type { Database } from "../../../src/storage/database.ts"
import { sql } from "../../../src/storage/sql.ts"
import type { Draw } from "../../draw.ts"
import type { MediaPlant } from "./media-faults.ts"
import { createMediaWatch, type MediaWatch } from "./media-watch.ts"
import type { Mortal } from "./mortal.ts"
import { createStudio } from "./studio.ts"
import type { Timeline } from "./timeline.ts"

/** Makes what a plan says; what it costs is all that is told of it. */
export type Make = (
  room: RoomRef,
  plan: MediaPlan,
  purpose: Purpose,
  signal: AbortSignal,
) => Promise<{ usd?: number | undefined }>

interface Options {
  /** Where the budgets are kept; everything of earlier lives is deleted from it. */
  db: Database
  timeline: Timeline
  random: Random
  draw: Draw
  chat: () => Config["chat"]
  broken: Parameters<typeof createMediaWatch>[2]
  plant: MediaPlant
  /** The kinds that answers come with. */
  kinds: readonly MediaKind[]
  /** A server began to work for something. */
  onWorks(): void
}

/** Media for all lives of one program: the budgets and how they are made are the program's, the servers are made up. */
export async function createMediaSide(options: Options) {
  const { db, timeline, random, draw, chat, broken, plant, kinds, onWorks } = options
  await db.write((transaction) => transaction.run(sql`delete from chat_media`))
  const studio = createStudio(draw)
  const watch: MediaWatch = createMediaWatch(timeline, () => chat().initiative, broken)
  const counts = { asked: 0, refused: 0 }
  return {
    counts,
    calm: studio.calm,
    restarted: () => plant.restarted?.(db),
    /** For one life of the program. */
    live(clock: Clock, life: Mortal, mortal: Database): Make {
      const parts = {
        ...{ db: mortal, clock, random, settings: chat().initiative, keyFor: () => "key" },
        screen: { check: async (text: string) => ({ outcome: "clean" as const, text, redactions: [] }) },
      }
      return async (room, plan, purpose, signal) => {
        const community = communityKey(room)
        const order = watch.ordered(community, plan.kind)
        const fetch = studio.fetch(clock, () => {
          counts.asked += 1
          order.works()
          onWorks()
        })
        await plant.before?.(db, clock.now())
        const request = plant.request?.({ community, purpose }) ?? { community, purpose }
        const made = await makeMedia({ ...parts, fetch }, plan, { ...request, at: clock.now(), signal })
        await plant.after?.(db)
        if (life.isDead()) return new Promise(() => {})
        order.ended(made.outcome === "refused" ? made.reason : null)
        if (made.outcome === "refused") counts.refused += 1
        return { usd: made.usd }
      }
    },
    /** Answers that come with something, one of two. */
    answering:
      (think: Think, make: Make, mayAttach: (room: RoomRef) => boolean): Think =>
      async (input, signal) => {
        const thought = await think(input, signal)
        if (thought.outcome !== "decided" || thought.decision.action !== "reply") return thought
        if (signal.aborted || draw.number(1, 2) === 1 || !mayAttach(input.room)) return thought
        input.extend(chat().initiative.media.timeout_seconds * 1000 + 30_000)
        const plan: MediaPlan = { kind: draw.pick(kinds), prompt: "a fox" }
        await make(input.room, plan, "reply", signal).catch(() => undefined)
        return thought
      },
  }
}
