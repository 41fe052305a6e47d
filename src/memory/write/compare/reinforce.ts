import { isAgentsNote, isPersons } from "../../model/agents/agents.ts"
import { joinedBasis } from "../../model/agents/basis.ts"
import {
  cleanTags,
  type Memory,
  type Reinforcement,
  reinforcementsKept,
  tidyDetails,
} from "../../model/memory.ts"
import { mergedDetails } from "./merge.ts"

/** A known memory that was said again. */
export function reinforced(known: Memory, again: Memory, at: number): Memory {
  const isNoted = isAgentsNote(again)
  // An agent that repeats itself says nothing new.
  if (isNoted && isRepeated(known, again)) return { ...known, version: known.version + 1, updatedAt: at }
  const said = {
    ...known,
    version: known.version + 1,
    strength: known.strength + 1,
    details: detailsAfter(known, again),
    updatedAt: at,
  }
  // To what others said an agent adds nothing but that it was said again.
  if (isNoted && !isAgentsNote(known)) return said
  return {
    ...said,
    tags: cleanTags([...known.tags, ...again.tags]),
    // What a person confirms is known from that person now.
    source: again.trust > known.trust ? again.source : known.source,
    trust: Math.max(known.trust, again.trust),
    triggers: [...new Set([...known.triggers, ...again.triggers])],
  }
}

/** Whether it was said in the same session before; without a session nobody can tell, so it counts as said. */
function isRepeated({ sessionId, details }: Memory, again: Memory): boolean {
  const before = [sessionId, ...(details.reinforcements ?? []).map((one) => one.sessionId)]
  return again.sessionId === null || before.includes(again.sessionId)
}

function detailsAfter({ details }: Memory, again: Memory): Memory["details"] {
  const crumb: Reinforcement = {
    at: again.createdAt,
    ...(again.sessionId === null ? {} : { sessionId: again.sessionId }),
    ...(again.messageIndex === null ? {} : { messageIndex: again.messageIndex }),
  }
  // To what others said an agent adds no details.
  const isAdded = !isAgentsNote(again) || details.notedBy === "agent"
  return tidyDetails({
    ...(isAdded ? mergedDetails(details, again.details) : details),
    notedBy: isPersons(again) ? undefined : details.notedBy,
    basis: joinedBasis(details.basis, again.details.basis),
    reinforcements: [...(details.reinforcements ?? []), crumb].slice(-reinforcementsKept),
  })
}
