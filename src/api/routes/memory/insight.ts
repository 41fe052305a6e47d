import { Hono } from "hono"
import { isoTime } from "../../../base/clock.ts"
import { statsOf } from "../../../memory/history/stats.ts"
import { timelineOf } from "../../../memory/history/timeline.ts"
import { whyBelieved, whyFound } from "../../../memory/history/why.ts"
import { whySentences } from "../../../memory/history/why-words.ts"
import { listConflicts } from "../../../memory/write/change/conflicts.ts"
import { listFading } from "../../../memory/write/change/fading.ts"
import { schemaVersion } from "../../answers/answer.ts"
import { presentFading } from "../../answers/present.ts"
import { presentShown } from "../../answers/shown.ts"
import {
  type ConflictsAnswer,
  type FadingAnswer,
  type HistoryAnswer,
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
    const conflicts = found.map(({ kind, at, memories: [newer, older] }) => ({
      kind,
      at: isoTime(at),
      memories: [presentShown(newer), presentShown(older)] as [
        ReturnType<typeof presentShown>,
        ReturnType<typeof presentShown>,
      ],
    }))
    return context.json<ConflictsAnswer>({ schemaVersion, conflicts })
  })
  routes.get("/fading", async (context) => {
    const fading = await listFading(needs, queryOf(context, requests.fading))
    return context.json<FadingAnswer>({ schemaVersion, ...presentFading(fading, needs.clock.now()) })
  })
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
