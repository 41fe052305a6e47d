import { findCycle, keepVerdict, requireCycle, type Verdict } from "../../attention/cycles.ts"
import { shorten } from "../../base/text/text.ts"
import { type UndoneGroup, undoCycle } from "../../memory/history/undo-cycle.ts"
import { newMemorySchema } from "../../memory/model/memory.ts"
import { rootsOf } from "../../memory/model/project.ts"
import { selectMemories } from "../../memory/model/store/store.ts"
import { forget } from "../../memory/write/change/forget-restore.ts"
import type { RememberNeeds } from "../../memory/write/prepare.ts"
import { remember } from "../../memory/write/remember.ts"
import type { By } from "../../storage/journal.ts"
import { sql } from "../../storage/sql.ts"

/** What the user thinks of the ambient agent's work is remembered under this tag and shown to it. */
export const feedbackTag = "ambient-feedback"

const words: Record<Judgement, string> = {
  approved: "User: I approve of what Reverie did by itself",
  rejected: "User: I reject what Reverie did by itself",
}

type Judgement = Exclude<Verdict, "undone">

/** What the user thinks of a cycle. */
interface Judged {
  id: string
  verdict: Judgement
  reason?: string | undefined
  /** The folders it is said in. */
  from?: string | string[] | undefined
}

/** Keeps what the user thinks of a cycle, and remembers it so that the next ones know. */
export async function judgeCycle(
  needs: RememberNeeds & { install: string },
  { id, verdict, reason, from = [] }: Judged,
  by: By,
): Promise<void> {
  const { db, clock, install } = needs
  const cycle = await requireCycle(db, install, id)
  const saidIn = await rootsOf(needs, [from].flat())
  const told = reason === undefined ? undefined : await needs.screen.redact(reason, saidIn)
  await db.write((transaction) =>
    keepVerdict(transaction, { id: cycle.id, now: clock.now() }, verdict, { ...by, data: { reason: told } }),
  )
  await tell(needs, cycle, verdict, told, by)
}

/** Takes back all that a cycle changed; that is a verdict too, but the graph is as it was and no memory tells of it. */
export async function takeBackCycle(
  needs: RememberNeeds & { install: string },
  id: string,
  by: By,
): Promise<UndoneGroup> {
  const cycle = await findCycle(needs.db, needs.install, id)
  const others = cycle?.receipt.deeds.map(({ operation }) => operation) ?? []
  return undoCycle(needs, by, cycle?.id ?? id, others, (transaction, at, data) =>
    keepVerdict(transaction, { id: data.undid, now: at }, "undone", { ...by, data }),
  )
}

async function tell(
  needs: RememberNeeds,
  { id, summary, trigger }: { id: string; summary: string | null; trigger: string },
  verdict: Judgement,
  reason: string | undefined,
  by: By,
): Promise<void> {
  const because = reason ? ` Why: ${reason}` : ""
  await forgetEarlier(needs, id, by)
  const content = `${words[verdict]} in ${id}: ${shorten(summary ?? trigger, 300)}${because}`
  await rememberFeedback(needs, { content, sourceId: `${id}/${verdict}` }, by)
}

/** Remembers what the user said of the agent's work or plans, for the agent. */
export async function rememberFeedback(
  needs: RememberNeeds,
  { content, sourceId }: { content: string; sourceId: string },
  by: By,
): Promise<void> {
  const memory = newMemorySchema.parse({
    content,
    type: "preference",
    scope: "global",
    // It is for the agent alone: nobody else should be shown it, and nothing else be compared with it.
    audience: feedbackTag,
    tags: [feedbackTag],
    sourceId,
    // Two verdicts on different work are alike in their words and still two.
    verbatim: true,
  })
  await remember(needs, memory, { ...by, operation: `${by.operation}-told` })
}

/** What the user said of the same cycle before no longer holds. */
async function forgetEarlier(needs: RememberNeeds, cycle: string, by: By): Promise<void> {
  const earlier = await selectMemories(
    needs.db,
    sql`m.status = 'active' and m.source_id in (${`${cycle}/approved`}, ${`${cycle}/rejected`})`,
  )
  const ids = earlier.map(({ id }) => id)
  if (ids.length > 0) await forget(needs, ids, { ...by, operation: `${by.operation}-before` })
}
