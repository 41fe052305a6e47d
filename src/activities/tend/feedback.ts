import { findCycle, requireCycle, saveVerdict, type Verdict } from "../../attention/cycles.ts"
import { UserError } from "../../base/errors.ts"
import { shorten } from "../../base/text/text.ts"
import { type UndoneGroup, undoCycle } from "../../memory/history/undo-group.ts"
import { newMemorySchema } from "../../memory/model/memory.ts"
import { rootsOf } from "../../memory/model/project.ts"
import { selectMemories } from "../../memory/model/store/store.ts"
import { isUndone } from "../../memory/model/store/undone.ts"
import { forget } from "../../memory/write/change/forget-restore.ts"
import type { MemoryWriteCore } from "../../memory/write/prepare.ts"
import { remember } from "../../memory/write/remember.ts"
import { type By, readJournal } from "../../storage/journal.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"

/** The tag of memories about what the user thinks of the agent's work. They are shown to the agent. */
export const feedbackTag = "ambient-feedback"

const words: Record<Judgement, string> = {
  approved: "User: I approve of what Reverie did by itself",
  rejected: "User: I reject what Reverie did by itself",
}

type Judgement = Exclude<Verdict, "undone">

/** A user's verdict on a cycle. */
interface CycleVerdict {
  id: string
  verdict: Judgement
  reason?: string | undefined
  /** The folders it was given in. */
  from?: string | string[] | undefined
}

/** Saves the user's verdict on a cycle, and remembers it for the next ones. */
export async function judgeCycle(
  needs: MemoryWriteCore & { install: string },
  { id, verdict, reason, from = [] }: CycleVerdict,
  by: By,
): Promise<void> {
  const { db, clock, install } = needs
  const cycle = await requireCycle(db, install, id)
  // Approved cycles widen what a model may do: one that was taken back is not among them.
  if (verdict === "approved" && cycle.verdict === "undone" && (await isTakenBack(db, cycle.id)))
    throw new UserError("conflict", "This cycle was undone, so there is nothing to approve.")
  const roots = await rootsOf(needs, [from].flat())
  const screened = reason === undefined ? undefined : await needs.screen.redact(reason, roots)
  await db.write((transaction) =>
    saveVerdict(transaction, { id: cycle.id, now: clock.now() }, verdict, {
      ...by,
      data: { reason: screened },
    }),
  )
  await rememberVerdict(needs, cycle, verdict, screened, by)
}

/** Whether a cycle that was undone was not brought back since. */
async function isTakenBack(on: Reader, cycle: string): Promise<boolean> {
  const query = { subject: cycle, kind: "cycle.undone", limit: 1, newestFirst: true }
  const [undone] = await readJournal(on, query)
  return undone !== undefined && !(await isUndone(on, undone.operation))
}

/** Undoes everything that a cycle changed. That is a verdict too, but no memory is saved about it. */
export async function undoWholeCycle(
  needs: MemoryWriteCore & { install: string },
  id: string,
  by: By,
): Promise<UndoneGroup> {
  const cycle = await findCycle(needs.db, needs.install, id)
  const others = cycle?.receipt.deeds.map(({ operation }) => operation) ?? []
  return undoCycle(needs, by, cycle?.id ?? id, others, (transaction, at, data) =>
    saveVerdict(transaction, { id: data.undid, now: at }, "undone", { ...by, data }),
  )
}

async function rememberVerdict(
  needs: MemoryWriteCore,
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

/** Remembers the user's feedback on the agent's work or plans, for the agent. */
export async function rememberFeedback(
  needs: MemoryWriteCore,
  { content, sourceId }: { content: string; sourceId: string },
  by: By,
): Promise<void> {
  const memory = newMemorySchema.parse({
    content,
    type: "preference",
    scope: "global",
    // Only for the agent: nobody else is shown it, and it is not compared with other memories.
    audience: feedbackTag,
    tags: [feedbackTag],
    sourceId,
    // Verdicts on different cycles have similar texts and are still separate.
    verbatim: true,
  })
  await remember(needs, memory, { ...by, operation: `${by.operation}-told` })
}

/** Forgets the user's earlier verdict on the same cycle. */
async function forgetEarlier(needs: MemoryWriteCore, cycle: string, by: By): Promise<void> {
  const earlier = await selectMemories(
    needs.db,
    sql`m.status = 'active' and m.source_id in (${`${cycle}/approved`}, ${`${cycle}/rejected`})`,
  )
  const ids = earlier.map(({ id }) => id)
  if (ids.length > 0) await forget(needs, ids, { ...by, operation: `${by.operation}-before` })
}
