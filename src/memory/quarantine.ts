import type { By, JournalKind } from "../storage/journal.ts"
import { fetchesAndRuns } from "./fetch-and-run.ts"
import type { Memory } from "./memory.ts"

/** What a promotion is called in the journal. */
export const promotedKind = "memory.promoted" satisfies JournalKind

/** How far a memory is believed at least once it left quarantine. */
const promotedConfidence = 0.6

/** Whether saying it again bears out what was only supposed: somebody said it outright, or another session found it. */
export function isBorneOut(known: Memory, again: Memory): boolean {
  if (known.status !== "quarantined" || waitsForPerson(known)) return false
  if (again.status !== "quarantined") return true
  if (again.sessionId === null || known.sessionId === null) return false
  return again.sessionId !== known.sessionId
}

/** What fetches something and runs it is borne out by nobody's repeating it: a person has to confirm it. */
function waitsForPerson({ content, details }: Memory): boolean {
  return fetchesAndRuns([content, ...(details.prerequisites ?? []), ...(details.steps ?? [])])
}

/** A memory out of quarantine. The version is the caller's part. */
export function promoted(memory: Memory): Memory {
  return { ...memory, status: "active", confidence: Math.max(memory.confidence, promotedConfidence) }
}

/** Who may confirm by what they do: neither the daemon nor an agent bears out what it supposed itself. */
const silentActors: ReadonlySet<string> = new Set(["daemon", "mcp"])

/** The promotion that follows where a person changed or praised a memory in quarantine; none otherwise. */
export function promotionBy(
  by: By,
  before: Memory,
  at: number,
): { kind: JournalKind; before: Memory; after: Memory }[] {
  if (before.status !== "quarantined" || silentActors.has(by.actor)) return []
  const after = { ...promoted(before), version: before.version + 1, updatedAt: at }
  return [{ kind: promotedKind, before, after }]
}
