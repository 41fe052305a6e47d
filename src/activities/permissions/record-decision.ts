import { newId } from "../../base/random.ts"
import type { CallDecision } from "../../safety/dispatch.ts"
import type { Core } from "../../storage/core.ts"
import { appendEntry } from "../../storage/journal.ts"

const kinds = { auto: "tool.allowed", ask: "tool.refused", never: "tool.refused" } as const

/** Records a model's call in a chat in the journal, without people's messages. */
export async function recordDecision(
  { db, clock, random }: Pick<Core, "db" | "clock" | "random">,
  subject: string,
  { tool, tier, reason }: CallDecision,
  run: Record<string, unknown>,
): Promise<void> {
  const by = { operation: newId(random, "op"), actor: "chat", at: clock.now() }
  const data = { tool, reason, ...run }
  await db.write((transaction) => appendEntry(transaction, { ...by, kind: kinds[tier], subject, data }))
}
