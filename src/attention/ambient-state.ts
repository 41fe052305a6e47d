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
  /** When the user last said so. */
  pausedAt: z.number().default(0),
  /** When the agent wants to be woken, and what for; without a moment it was woken, but nobody could be asked. */
  requestedWake: z.object({ at: z.number().nullable(), context: z.string() }).nullable().default(null),
  /** How far the user said it is trusted; null where the cycles they approved decide. */
  trust: z.enum(trustLevels).nullable().default(null),
  /** Approved cycles count towards trust from here on: since the user last took their trust back. */
  countedFrom: z.number().default(0),
  /** How the tests of each project were when they were last run, by the project's id. */
  tests: z
    .record(z.string(), z.object({ head: z.string(), passed: z.boolean().nullable(), output: z.string() }))
    .default({}),
  /** What could be worth doing and was put before a model already. */
  broughtUp: z.array(z.string()).default([]),
  /** The newest journal entry that was looked at for events; null before the first look. */
  heardTo: z.number().nullable().default(null),
})

/** What the ambient agent remembers of itself between cycles. */
export type AmbientState = z.infer<typeof stateSchema>

/** How it stands. */
export async function ambientState(on: Reader, install: string): Promise<AmbientState> {
  const [row] = await on.read<{ state: string }>(
    sql`select state from ambient_states where install = ${install}`,
  )
  return stateSchema.parse(row ? withOldNames(JSON.parse(row.state)) : {})
}

/** States written before 0.2 called the requested wake a wish, and trust was a yes. */
function withOldNames({ wish = null, isTrusted = false, ...state }: Record<string, unknown>): unknown {
  return { requestedWake: wish, trust: isTrusted ? "work" : null, ...state }
}

/** Changes how it stands, with the entry that tells why. */
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
