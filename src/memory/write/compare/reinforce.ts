import { isAgentNote, isFromUser } from "../../model/agents/agents.ts"
import { mergeBasis } from "../../model/agents/basis.ts"
import {
  cleanTags,
  type Memory,
  maxReinforcements,
  normalizeDetails,
  type Reinforcement,
} from "../../model/memory.ts"
import { changed } from "../change/operation.ts"
import { mergedDetails } from "./merge.ts"

/** A known memory after it was repeated. */
export function reinforced(known: Memory, again: Memory, at: number): Memory {
  const isNoted = isAgentNote(again)
  // An agent that repeats itself says nothing new.
  if (isNoted && isRepeated(known, again)) return changed(known, at, {})
  const repeated = changed(known, at, { strength: known.strength + 1, details: detailsAfter(known, again) })
  // An agent's note adds to other memories only that they were said again.
  if (isNoted && !isAgentNote(known)) return repeated
  return {
    ...repeated,
    tags: cleanTags([...known.tags, ...again.tags]),
    source: again.trust > known.trust ? again.source : known.source,
    trust: Math.max(known.trust, again.trust),
    triggers: [...new Set([...known.triggers, ...again.triggers])],
  }
}

/** Whether it was said in the same session before; without a session it counts as repeated. */
function isRepeated({ sessionId, details }: Memory, again: Memory): boolean {
  const before = [sessionId, ...(details.reinforcements ?? []).map((one) => one.sessionId)]
  return again.sessionId === null || before.includes(again.sessionId)
}

function detailsAfter({ details }: Memory, again: Memory): Memory["details"] {
  const reinforcement: Reinforcement = {
    at: again.createdAt,
    ...(again.sessionId === null ? {} : { sessionId: again.sessionId }),
    ...(again.messageIndex === null ? {} : { messageIndex: again.messageIndex }),
  }
  // An agent's note adds no details to other memories.
  const isAdded = !isAgentNote(again) || details.notedBy === "agent"
  return normalizeDetails({
    ...(isAdded ? mergedDetails(details, again.details) : details),
    notedBy: isFromUser(again) ? undefined : details.notedBy,
    basis: mergeBasis(details.basis, again.details.basis),
    reinforcements: [...(details.reinforcements ?? []), reinforcement].slice(-maxReinforcements),
  })
}
