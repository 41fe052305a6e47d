import type { By, JournalKind } from "../../../storage/journal.ts"
import { isAgentNote, isFromUser } from "../../model/agents/agents.ts"
import { areIndependent } from "../../model/agents/basis.ts"
import type { Memory } from "../../model/memory.ts"
import { changed, type MemoryImages } from "../change/operation.ts"
import { fetchesAndRuns } from "../fetch-and-run.ts"

/** The journal kind of a promotion. */
export const promotedKind = "memory.promoted" satisfies JournalKind

/** The least confidence of a memory that left quarantine. */
const promotedConfidence = 0.6

/**
 * Whether a repetition confirms a quarantined memory: somebody stated it, or another session found it elsewhere. An agent's
 * note confirms nothing, and only the user confirms an agent's note.
 */
export function isConfirmedBy(known: Memory, again: Memory): boolean {
  if (known.status !== "quarantined" || needsUserConfirmation(known) || isAgentNote(again)) return false
  if (isAgentNote(known)) return again.status !== "quarantined" && isFromUser(again)
  if (again.status !== "quarantined") return true
  if (again.sessionId === null || known.sessionId === null || again.sessionId === known.sessionId)
    return false
  return areIndependent(known.details.basis, again.details.basis)
}

/** Repetition does not confirm a memory that says to download something and run it: the user has to. */
export function needsUserConfirmation({ content, details }: Pick<Memory, "content" | "details">): boolean {
  const { prerequisites = [], steps = [], warnings = [] } = details
  return fetchesAndRuns([content, ...prerequisites, ...steps, ...warnings])
}

/** A memory out of quarantine, with its old version. */
export function promoted(memory: Memory): Memory {
  return { ...memory, status: "active", confidence: Math.max(memory.confidence, promotedConfidence) }
}

/** Actors whose changes do not confirm a memory: the daemon, its gardener, and agents. */
const nonConfirmingActors: ReadonlySet<string> = new Set(["daemon", "ambient", "recall", "mcp"])

/** Whether a user acts, or a program on a user's behalf. */
export function isUserAction({ actor }: Pick<By, "actor">): boolean {
  return !nonConfirmingActors.has(actor)
}

/** The promotion after a user changed or praised a quarantined memory; none otherwise. */
export function promotionBy(by: By, before: Memory, at: number): MemoryImages[] {
  if (before.status !== "quarantined" || !isUserAction(by)) return []
  return [{ kind: promotedKind, before, after: changed(promoted(before), at, {}) }]
}
