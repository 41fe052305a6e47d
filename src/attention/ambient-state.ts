import { z } from "zod"
import { appendEntry, type By, type JournalKind } from "../storage/journal.ts"
import { sql } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"
import { trustLevels } from "./trust.ts"

const stateSchema = z.object({
  /** Null for not paused; "for-ever" until the user resumes. */
  pausedUntil: z
    .union([z.number(), z.literal("for-ever")])
    .nullable()
    .default(null),
  /** When the user last paused it. */
  pausedAt: z.number().default(0),
  /** When the agent asked to be woken, and why; without a time, the wake came but no model could be asked. */
  requestedWake: z.object({ at: z.number().nullable(), context: z.string() }).nullable().default(null),
  /** The trust level that the user set; null if the number of approved cycles decides. */
  trust: z.enum(trustLevels).nullable().default(null),
  /** Approved cycles count towards trust since this time: when the user last lowered it. */
  countedFrom: z.number().default(0),
  /** The result of each project's last test run, by the project's id. */
  tests: z
    .record(z.string(), z.object({ head: z.string(), passed: z.boolean().nullable(), output: z.string() }))
    .default({}),
  /** Suggestions that a model has already seen. */
  broughtUp: z.array(z.string()).default([]),
  /** The last journal entry that was read for triggers; null before the first time. */
  heardTo: z.number().nullable().default(null),
})

/** What the ambient agent stores between cycles. */
export type AmbientState = z.infer<typeof stateSchema>

export async function ambientState(on: Reader, install: string): Promise<AmbientState> {
  const [row] = await on.read<{ state: string }>(
    sql`select state from ambient_states where install = ${install}`,
  )
  return stateSchema.parse(row ? withOldNames(JSON.parse(row.state)) : {})
}

/** Before 0.2, `requestedWake` was called `wish`, and trust was a boolean. */
function withOldNames({ wish = null, isTrusted = false, ...state }: Record<string, unknown>): unknown {
  return { requestedWake: wish, trust: isTrusted ? "work" : null, ...state }
}

/** Changes the state, and writes the journal entry. */
export async function changeAmbientState(
  transaction: Transaction,
  { install, now }: { install: string; now: number },
  change: Partial<AmbientState>,
  entry: By & { kind: JournalKind; data?: unknown },
): Promise<AmbientState> {
  const state = { ...(await ambientState(transaction, install)), ...change }
  await transaction.run(sql`
    insert into ambient_states (install, state, version, updated_at)
    values (${install}, ${JSON.stringify(state)}, 1, ${now})
    on conflict (install) do update set state = excluded.state, version = ambient_states.version + 1,
      updated_at = excluded.updated_at`)
  await appendEntry(transaction, { ...entry, at: now, subject: install })
  return state
}
