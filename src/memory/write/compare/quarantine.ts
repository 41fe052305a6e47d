import type { By, JournalKind } from "../../../storage/journal.ts"
import { isAgentsNote, isPersons } from "../../model/agents/agents.ts"
import { areIndependent } from "../../model/agents/basis.ts"
import type { Memory } from "../../model/memory.ts"
import { fetchesAndRuns } from "../fetch-and-run.ts"

/** What a promotion is called in the journal. */
export const promotedKind = "memory.promoted" satisfies JournalKind

/** How far a memory is believed at least once it left quarantine. */
const promotedConfidence = 0.6

/**
 * Whether saying it again bears out what was only supposed: somebody said it outright, or another session found it
 * elsewhere. An agent's word bears out nothing, and what an agent noted waits for the person's.
 */
export function isBorneOut(known: Memory, again: Memory): boolean {
  if (known.status !== "quarantined" || waitsForPerson(known) || isAgentsNote(again)) return false
  if (isAgentsNote(known)) return again.status !== "quarantined" && isPersons(again)
  if (again.status !== "quarantined") return true
  if (again.sessionId === null || known.sessionId === null || again.sessionId === known.sessionId)
    return false
  return areIndependent(known.details.basis, again.details.basis)
}

/** What fetches something and runs it is borne out by nobody's repeating it: a person has to confirm it. */
export function waitsForPerson({ content, details }: Pick<Memory, "content" | "details">): boolean {
  const { prerequisites = [], steps = [], warnings = [] } = details
  return fetchesAndRuns([content, ...prerequisites, ...steps, ...warnings])
}

/** A memory out of quarantine. The version is the caller's part. */
export function promoted(memory: Memory): Memory {
  return { ...memory, status: "active", confidence: Math.max(memory.confidence, promotedConfidence) }
}

/** Who cannot confirm by what they do: neither the daemon, its gardener nor an agent bears out what it supposed itself. */
const silentActors: ReadonlySet<string> = new Set(["daemon", "ambient", "recall", "mcp"])

/** Whether a person acts, or a program that speaks for one. */
export function isPersonsAct({ actor }: Pick<By, "actor">): boolean {
  return !silentActors.has(actor)
}

/** The promotion that follows where a person changed or praised a memory in quarantine; none otherwise. */
export function promotionBy(
  by: By,
  before: Memory,
  at: number,
): { kind: JournalKind; before: Memory; after: Memory }[] {
  if (before.status !== "quarantined" || !isPersonsAct(by)) return []
  const after = { ...promoted(before), version: before.version + 1, updatedAt: at }
  return [{ kind: promotedKind, before, after }]
}
