import { Hono } from "hono"
import { openDuplicates } from "../../../activities/tend/open-duplicates.ts"
import { isoTime } from "../../../base/clock.ts"
import { beliefCurve } from "../../../memory/history/belief-curve.ts"
import { statsOf } from "../../../memory/history/stats.ts"
import { timesSurfaced } from "../../../memory/history/surfaced.ts"
import { timelineOf } from "../../../memory/history/timeline.ts"
import { whyBelieved, whyFound } from "../../../memory/history/why.ts"
import { whySentences } from "../../../memory/history/why-words.ts"
import { requireMemory } from "../../../memory/model/store/browse.ts"
import { pictureOf } from "../../../memory/topics/picture.ts"
import { listConflicts } from "../../../memory/write/change/conflicts.ts"
import { listFading } from "../../../memory/write/change/fading.ts"
import { listSessions } from "../../../sessions/sessions.ts"
import { turnsOf } from "../../../sessions/turns.ts"
import { schemaVersion } from "../../answers/answer.ts"
import { presentPairs } from "../../answers/pairs.ts"
import { presentFading } from "../../answers/present.ts"
import { presentSessions, presentSurfaced } from "../../answers/sessions.ts"
import { presentShown } from "../../answers/shown.ts"
import {
  type ConflictsAnswer,
  type DuplicatesAnswer,
  type FadingAnswer,
  type GraphAnswer,
  type HistoryAnswer,
  type ProvenanceAnswer,
  requests,
  type StatsAnswer,
  type WhyAnswer,
} from "../../contract.ts"
import { queryOf } from "../../input.ts"
import type { AppNeeds } from "../../needs.ts"

/** What a person wants to know about memories beyond their text. Nothing here changes anything. */
export function insightRoutes(needs: AppNeeds): Hono {
  const routes = new Hono()
  routes.get("/stats", async (context) => {
    const { oldest, newest, storage, ...counts } = await statsOf(needs)
    const when = (ms: number | null) => (ms === null ? null : isoTime(ms))
    return context.json<StatsAnswer>({
      schemaVersion,
      counts,
      storage,
      oldest: when(oldest),
      newest: when(newest),
    })
  })
  routes.get("/conflicts", async (context) => {
    const found = await listConflicts(needs, queryOf(context, requests.conflicts))
    const conflicts = await presentPairs(needs, found)
    return context.json<ConflictsAnswer>({ schemaVersion, conflicts })
  })
  routes.get("/duplicates", async (context) => {
    const duplicates = await presentPairs(needs, await openDuplicates(needs))
    return context.json<DuplicatesAnswer>({ schemaVersion, duplicates })
  })
  routes.get("/fading", async (context) => {
    const fading = await listFading(needs, queryOf(context, requests.fading))
    return context.json<FadingAnswer>({ schemaVersion, ...presentFading(fading, needs.clock.now()) })
  })
  routes.get("/graph", async (context) => {
    const picture = await pictureOf(needs, queryOf(context, requests.graph))
    return context.json<GraphAnswer>({ schemaVersion, ...picture })
  })
  routes.get("/:id/provenance", async (context) =>
    context.json<ProvenanceAnswer>(await provenanceOf(needs, context.req.param("id"))),
  )
  routes.get("/:id/history", async (context) => {
    const { id, events } = await timelineOf(needs.db, context.req.param("id"))
    const shown = events.map((event) => ({ ...event, at: isoTime(event.at) }))
    return context.json<HistoryAnswer>({ schemaVersion, id, events: shown })
  })
  routes.get("/:id/why", async (context) => {
    const { query, ...viewer } = queryOf(context, requests.why)
    // What is told must be true of the search that the same question would run.
    if (query !== undefined) await needs.beforeSearch?.()
    const why = await whyBelieved(needs, context.req.param("id"))
    const { memory, confirmedAt, ...rest } = why
    return context.json<WhyAnswer>({
      schemaVersion,
      memory: presentShown(memory),
      confirmedAt: isoTime(confirmedAt),
      ...rest,
      sentences: whySentences(why),
      ...(query === undefined ? {} : { finding: await whyFound(needs, memory, { ...viewer, query }) }),
    })
  })
  return routes
}

/** Turns around those a memory was learned from, so that they can be understood. */
const turnsBefore = 1
const turnsAfter = 2

/** Where a memory comes from, where it came up, and how far it was believed meanwhile. */
async function provenanceOf(needs: AppNeeds, id: string): Promise<ProvenanceAnswer> {
  const { db, clock } = needs
  const memory = await requireMemory(db, id)
  const { sessionId, messageIndex, details } = memory
  const known = sessionId === null ? [] : await listSessions(db, { ids: [sessionId] })
  const [session = null] = await presentSessions(needs, known)
  const last = details.messageEnd ?? messageIndex
  const turns =
    session === null || messageIndex === null || last === null
      ? []
      : await turnsOf(db, session.id, {
          from: Math.max(0, messageIndex - turnsBefore),
          to: last + turnsAfter,
          limit: 30,
        })
  const { past, ahead } = await beliefCurve(db, memory, clock.now())
  const points = (list: typeof past) => list.map(({ at, confidence }) => ({ at: isoTime(at), confidence }))
  return {
    schemaVersion,
    id: memory.id,
    session,
    turns: turns.map((turn) => ({
      ...turn,
      at: isoTime(turn.at),
      isSource: turn.position >= (messageIndex ?? 0) && turn.position <= (last ?? 0),
    })),
    surfaced: await presentSurfaced(needs, await timesSurfaced(db, memory.id)),
    confidence: { past: points(past), ahead: points(ahead) },
  }
}
