import { UserError } from "../../../base/errors.ts"
import type { By } from "../../../storage/journal.ts"
import { memorySources } from "../kinds.ts"
import type { CheckedMemory, Memory } from "../memory.ts"

/** What an agent may say and do about memory. Its word is never taken for the person's, whatever it claims. */

/** The actor under which agents act over MCP. */
const agentActor = "mcp"

/** Whether an agent acts, and not the person. */
export function isAgent({ actor }: Pick<By, "actor">): boolean {
  return actor === agentActor
}

/** What is shown beside a memory that an agent noted. */
const agentLabel = "noted by an agent"

/** Whether a memory is known from an agent's word alone. */
export function isAgentsNote({ details }: Pick<Memory, "details">): boolean {
  return details.notedBy === "agent"
}

/** What is to be shown beside a memory wherever it is shown; undefined where its source says enough. */
export function labelOf(memory: Pick<Memory, "details">): string | undefined {
  return isAgentsNote(memory) ? agentLabel : undefined
}

/** How far an agent's note is believed: less than what was taken from the person's own words, more than a guess. */
export const agentTrust = 0.55

/** Whether a memory rests on what the person said: outright, as a correction, or in a session that was read. */
export function isPersons(memory: Pick<Memory, "source" | "details">): boolean {
  return !isAgentsNote(memory) && personsSources.has(memory.source)
}

const personsSources: ReadonlySet<Memory["source"]> = new Set(["user-corrected", "user-stated", "extracted"])

/** A new memory as an agent may give it: at most observed, and where it would hold everywhere, only supposed for now. */
export function asAgentsNote(given: CheckedMemory): CheckedMemory {
  const { createdAt, audience, sourceId, recencyWeight, ...rest } = given
  const scope = given.scope ?? (given.project === undefined ? "global" : "project")
  return {
    ...rest,
    source: cappedSource(given.source),
    triggers: given.triggers.filter(isTelling),
    verbatim: false,
    notedBy: "agent",
    basis: undefined,
    quarantined: given.quarantined || scope === "global",
  }
}

function cappedSource(source: Memory["source"]): Memory["source"] {
  return memorySources.indexOf(source) < memorySources.indexOf("observed") ? "observed" : source
}

/** A pattern with hardly a letter in it would bring a note up everywhere. */
function isTelling(trigger: string): boolean {
  return (trigger.match(/[\p{L}\p{N}]/gu) ?? []).length >= 3
}

/** Whether an agent's rating lowers a memory, and how far at most: what the person said stays as they said it. */
export function loweredByAgent(memory: Memory, lowered: number): number {
  if (isPersons(memory)) return memory.confidence
  return Math.max(lowered, Math.min(memory.confidence, agentFloor))
}

/** An agent's verdict alone never makes a memory believed less than this. */
export const agentFloor = 0.3

/** Refuses what an agent may not do to a memory. */
export function refuseToAgent(before: Memory | null, after: Memory | null): void {
  if (before === null || after === null) return
  if (after.status === "active" && before.status !== "active")
    throw new UserError(
      "refused",
      `Not done: only the person brings ${before.id} back; they can run \`reverie memory restore ${before.id}\`.`,
    )
  if (!isPersons(before) || !isWorse(before, after)) return
  throw new UserError(
    "refused",
    `Not done: ${before.id} is what the person said, and only they change it or put it aside (\`reverie memory forget ${before.id}\`).`,
  )
}

/** Whether a memory says something else, is found less, or is believed less than before. */
function isWorse(before: Memory, after: Memory): boolean {
  return (
    after.status !== before.status ||
    after.content !== before.content ||
    after.scope !== before.scope ||
    after.project !== before.project ||
    after.audience !== before.audience ||
    after.confidence < before.confidence ||
    after.trust < before.trust ||
    before.tags.some((tag) => !after.tags.includes(tag)) ||
    before.triggers.some((trigger) => !after.triggers.includes(trigger))
  )
}
