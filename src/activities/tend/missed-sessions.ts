import { shorten } from "../../base/text/text.ts"
import {
  type ExtractSessionNeeds,
  extractingReader,
  extractSession,
} from "../../memory/extract/extract-session.ts"
import type { GardenWork, Tending } from "../../memory/garden/garden.ts"
import { dueSessions } from "../../sessions/read-due.ts"

/** Sessions read in one pass; the rest has its turn in the next. */
const mostSessions = 20

/** Reads the sessions that ended, or crashed, before anybody looked through them for memories. */
export function readMissedSessions(needs: ExtractSessionNeeds): GardenWork {
  return {
    name: "missed sessions",
    async run(tending) {
      if (!needs.config.extraction.enabled) return
      const due = await dueSessions(needs, extractingReader(needs))
      for (const id of due.slice(0, mostSessions)) {
        if (!tending.mayGoOn()) return tending.leaveRest()
        await readOne({ ...needs, signal: tending.signal, cycle: tending.cycle }, id, tending)
      }
      if (due.length > mostSessions) tending.leaveRest()
    },
  }
}

async function readOne(needs: ExtractSessionNeeds, id: string, tending: Tending): Promise<void> {
  const { parts } = await extractSession(needs, id, "ambient")
  for (const { operation, learned } of parts) {
    const saved = learned.filter(({ outcome }) => outcome === "saved" || outcome === "superseded")
    if (saved.length === 0) continue
    const words = saved.map(({ claim }) => `"${shorten(claim.content, 120)}"`)
    const done = { operation, memories: [], others: saved.length, words }
    await tending.done("learned from sessions", done, learned.length)
  }
}
