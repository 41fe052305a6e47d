import { openDuplicates } from "../../../activities/tend/open-duplicates.ts"
import { isoTime } from "../../../base/clock.ts"
import { beliefCurve } from "../../../memory/history/belief-curve.ts"
import { statsOf } from "../../../memory/history/stats.ts"
import { timesSurfaced } from "../../../memory/history/surfaced.ts"
import { timelineOf } from "../../../memory/history/timeline.ts"
import { explainSearch, whyBelieved } from "../../../memory/history/why.ts"
import { whySentences } from "../../../memory/history/why-words.ts"
import { requireMemory } from "../../../memory/model/store/browse.ts"
import { graphOverview } from "../../../memory/topics/graph-overview.ts"
import { listConflicts } from "../../../memory/write/change/conflicts.ts"
import { listFading } from "../../../memory/write/change/fading.ts"
import { listSessions } from "../../../sessions/sessions.ts"
import { turnsOf } from "../../../sessions/turns.ts"
import { presentFading, presentPairs, presentShown } from "../../answers/memories.ts"
import { presentSessions, presentSurfaced } from "../../answers/sessions.ts"
import type { Answers } from "../../contract/answers.ts"
import { isoTimes } from "../../contract/iso-times.ts"
import type { AppNeeds } from "../../needs.ts"
import type { AddRoute } from "../../routing.ts"

/** Statistics, conflicts, history and explanations of memories. All read-only. */
export function insightRoutes(on: AddRoute, needs: AppNeeds): void {
  on("stats", async () => {
    const { oldest, newest, storage, ...counts } = await statsOf(needs)
    const when = (ms: number | null) => (ms === null ? null : isoTime(ms))
    return { counts, storage, oldest: when(oldest), newest: when(newest) }
  })
  on("conflicts", async (asked) => {
    return { conflicts: await presentPairs(needs, await listConflicts(needs, asked)) }
  })
  on("duplicates", async () => {
    return { duplicates: await presentPairs(needs, await openDuplicates(needs)) }
  })
  on("fading", async (asked) => {
    return presentFading(await listFading(needs, asked), needs.clock.now())
  })
  on("graph", (asked) => graphOverview(needs, asked))
  on("provenance", (_asked, { id }) => provenanceOf(needs, id))
  on("history", async (_asked, call) => {
    const { id, events } = await timelineOf(needs.db, call.id)
    return { id, events: events.map(isoTimes) }
  })
  on("why", async ({ query, ...viewer }, { id }) => {
    // The explanation must match what a search would find now.
    if (query !== undefined) await needs.beforeSearch?.()
    const why = await whyBelieved(needs, id)
    const { memory, ...rest } = why
    return {
      memory: presentShown(memory),
      ...isoTimes(rest),
      sentences: whySentences(why),
      ...(query === undefined ? {} : { finding: await explainSearch(needs, memory, { ...viewer, query }) }),
    }
  })
}

/** How many turns are shown before and after those that a memory was learned from. */
const turnsBefore = 1
const turnsAfter = 2

async function provenanceOf(needs: AppNeeds, id: string): Promise<Answers["provenance"]> {
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
  return {
    id: memory.id,
    session,
    turns: turns.map((turn) => ({
      ...isoTimes(turn),
      isSource: turn.position >= (messageIndex ?? 0) && turn.position <= (last ?? 0),
    })),
    surfaced: await presentSurfaced(needs, await timesSurfaced(db, memory.id)),
    confidence: { past: past.map(isoTimes), ahead: ahead.map(isoTimes) },
  }
}
