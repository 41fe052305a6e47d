import { newId } from "../../base/random.ts"
import type { Decided } from "../../safety/dispatch.ts"
import type { Core } from "../../storage/core.ts"
import { appendEntry } from "../../storage/journal.ts"

const kinds = { auto: "tool.allowed", ask: "tool.refused", never: "tool.refused" } as const

/** Tells the journal of a call that a model made in a chat. Words of people stay out. */
export async function keepDecision(
  { db, clock, random }: Pick<Core, "db" | "clock" | "random">,
  subject: string,
  { tool, tier, reason }: Decided,
  run: Record<string, unknown>,
): Promise<void> {
  const by = { operation: newId(random, "op"), actor: "chat", at: clock.now() }
  const data = { tool, reason, ...run }
  await db.write((transaction) => appendEntry(transaction, { ...by, kind: kinds[tier], subject, data }))
}
