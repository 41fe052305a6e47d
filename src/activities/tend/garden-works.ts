import { shorten } from "../../base/text/text.ts"
import { verifyFacts } from "../../coding/verify/facts.ts"
import {
  extractingReader,
  extractSession,
  type SessionExtractCore,
} from "../../memory/extract/extract-session.ts"
import type { GardenPass, GardenWork } from "../../memory/garden/garden.ts"
import { archiveBeyond } from "../../memory/garden/over-capacity.ts"
import { memoryWorks } from "../../memory/garden/works.ts"
import { openOffLimits } from "../../privacy/files/off-limits.ts"
import { dueSessions } from "../../sessions/due-sessions.ts"

/** All garden work of a cycle, in order: first what adds memories, last what removes them. */
export function gardenWorks(needs: SessionExtractCore): GardenWork[] {
  const offLimits = openOffLimits(needs)
  return [
    readMissedSessions(needs),
    ...memoryWorks(needs),
    verifyFacts({ ...needs, offLimits }),
    archiveBeyond(needs, needs.config.memory.capacity),
  ]
}

/** Sessions per pass; the rest waits for the next. */
const mostSessions = 20

/** Extracts memories from sessions that ended or crashed before they were read. */
function readMissedSessions(needs: SessionExtractCore): GardenWork {
  return {
    name: "missed sessions",
    async run(tending) {
      if (!needs.config.extraction.enabled) return
      const due = await dueSessions(needs, extractingReader(needs))
      for (const id of due.slice(0, mostSessions)) {
        if (!tending.canContinue()) return tending.markUnfinished()
        await readOne({ ...needs, signal: tending.signal, cycle: tending.cycle }, id, tending)
      }
      if (due.length > mostSessions) tending.markUnfinished()
    },
  }
}

async function readOne(needs: SessionExtractCore, id: string, tending: GardenPass): Promise<void> {
  const { parts } = await extractSession(needs, id, "ambient")
  for (const { operation, learned } of parts) {
    const saved = learned.filter(({ outcome }) => outcome === "saved" || outcome === "superseded")
    if (saved.length === 0) continue
    const words = saved.map(({ claim }) => `"${shorten(claim.content, 120)}"`)
    const done = { operation, memories: [], others: saved.length, words }
    await tending.report("learned from sessions", done, learned.length)
  }
}
