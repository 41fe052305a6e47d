import { keepVerdict, requireCycle, type Verdict } from "../../attention/cycles.ts"
import { shorten } from "../../base/text.ts"
import { newMemorySchema } from "../../memory/memory.ts"
import type { RememberNeeds } from "../../memory/prepare.ts"
import { remember } from "../../memory/remember.ts"
import type { By } from "../../storage/journal.ts"

/** What the user thinks of the ambient agent's work is remembered under this tag and shown to it. */
export const feedbackTag = "ambient-feedback"

const words: Record<Verdict, string> = {
  approved: "The user approved what Reverie did by itself",
  rejected: "The user rejected what Reverie did by itself",
  undone: "The user took back what Reverie did by itself",
}

/** Keeps what the user thinks of a cycle, and remembers it so that the next ones know. */
export async function judgeCycle(
  needs: RememberNeeds & { install: string },
  { id, verdict, reason }: { id: string; verdict: Verdict; reason?: string | undefined },
  by: By,
): Promise<void> {
  const { db, clock, install } = needs
  const cycle = await requireCycle(db, install, id)
  const did = shorten(cycle.summary ?? cycle.trigger, 300)
  const because = reason ? ` Why: ${reason}` : ""
  const memory = newMemorySchema.parse({
    content: `${words[verdict]} in cycle ${cycle.id}: ${did}${because}`,
    type: "preference",
    scope: "global",
    tags: [feedbackTag],
    sourceId: `${cycle.id}/${verdict}`,
    // Two verdicts on different work are alike in their words and still two.
    verbatim: true,
  })
  await db.write((transaction) =>
    keepVerdict(transaction, { id: cycle.id, now: clock.now() }, verdict, { ...by, data: { reason } }),
  )
  await remember(needs, memory, { ...by, operation: `${by.operation}-told` })
}
