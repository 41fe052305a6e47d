import { UserError } from "../../../base/errors.ts"
import type { By } from "../../../storage/journal.ts"
import { memorySources } from "../kinds.ts"
import type { Memory, ParsedMemory } from "../memory.ts"

/** Whether an agent acts over MCP, and not the user. What an agent says never counts as said by the user. */
export function isAgent({ actor }: Pick<By, "actor">): boolean {
  return actor === "mcp"
}

/** Whether only an agent stated this memory. */
export function isAgentNote({ details }: Pick<Memory, "details">): boolean {
  return details.notedBy === "agent"
}

/** The label to show with a memory wherever it is shown; undefined where its source says enough. */
export function labelOf(memory: Pick<Memory, "details">): string | undefined {
  return isAgentNote(memory) ? "noted by an agent" : undefined
}

/** The trust in an agent's note: less than in text extracted from the user's words, more than in a guess. */
export const agentTrust = 0.55

/** Whether a memory comes from the user: stated, as a correction, or extracted from a session. */
export function isFromUser(memory: Pick<Memory, "source" | "details">): boolean {
  return !isAgentNote(memory) && userSources.has(memory.source)
}

const userSources: ReadonlySet<Memory["source"]> = new Set(["user-corrected", "user-stated", "extracted"])

/** A new memory as an agent may add it: its source is at most "observed", and a global one starts in quarantine. */
export function toAgentNote(memory: ParsedMemory): ParsedMemory {
  const { createdAt, audience, sourceId, recencyWeight, ...rest } = memory
  const scope = memory.scope ?? (memory.project === undefined ? "global" : "project")
  return {
    ...rest,
    source: cappedSource(memory.source),
    triggers: memory.triggers.filter(isSpecific),
    verbatim: false,
    notedBy: "agent",
    basis: undefined,
    quarantined: memory.quarantined || scope === "global",
  }
}

function cappedSource(source: Memory["source"]): Memory["source"] {
  return memorySources.indexOf(source) < memorySources.indexOf("observed") ? "observed" : source
}

/** A pattern with fewer than three letters or digits would match nearly every text. */
function isSpecific(trigger: string): boolean {
  return (trigger.match(/[\p{L}\p{N}]/gu) ?? []).length >= 3
}

/** The confidence after an agent's rating: the user's own memories are not lowered, others not below the minimum. */
export function confidenceAfterAgent(memory: Memory, lowered: number): number {
  if (isFromUser(memory)) return memory.confidence
  return Math.max(lowered, Math.min(memory.confidence, agentFloor))
}

/** An agent's rating alone never lowers the confidence below this. */
export const agentFloor = 0.3

/** Throws where an agent may not make this change of a memory. */
export function requireAgentMay(before: Memory | null, after: Memory | null): void {
  if (before === null || after === null) return
  if (after.status === "active" && before.status !== "active")
    throw new UserError(
      "refused",
      `Not done: only the user may restore ${before.id}, with \`reverie memory restore ${before.id}\`.`,
    )
  if (!isFromUser(before) || !isReduced(before, after)) return
  throw new UserError(
    "refused",
    `Not done: the user stated ${before.id}, and only the user may change or forget it (\`reverie memory forget ${before.id}\`).`,
  )
}

/** Whether a memory says something else, is found in fewer places, or is believed less than before. */
function isReduced(before: Memory, after: Memory): boolean {
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
