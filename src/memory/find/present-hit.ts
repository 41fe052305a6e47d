import { isoTime } from "../../base/clock.ts"
import { labelOf } from "../model/agents/agents.ts"
import type { Memory, MemoryDetails } from "../model/memory.ts"
import type { Hit } from "./retrieve.ts"

/** A hit as the API returns it: plain data with times as ISO text. */
export interface PresentedHit
  extends Pick<Memory, "id" | "content" | "type" | "scope" | "project" | "tags" | "sourceId" | "source">,
    Pick<Hit, "score" | "sure" | "via" | "older" | "suspected">,
    Pick<MemoryDetails, "steps" | "prerequisites" | "warnings" | "part"> {
  /** "noted by an agent" if only an agent stated it. */
  label?: string
  /** When it was stated. */
  at: string
  /** Why it seems to be outdated, one sentence each. */
  outdated?: string[]
}

export function presentHit({ memory, score, sure, via, older, suspected }: Hit): PresentedHit {
  const { id, content, type, scope, project, tags, sourceId, source, createdAt, details } = memory
  const label = labelOf(memory)
  const { steps, prerequisites, warnings, outdated, part } = details
  return {
    ...{ id, content, type, scope, project, tags, sourceId, source },
    ...{ score: Math.round(score * 1e4) / 1e4, sure, at: isoTime(createdAt), via },
    ...(label === undefined ? {} : { label }),
    ...(steps ? { steps } : {}),
    ...(prerequisites ? { prerequisites } : {}),
    ...(warnings ? { warnings } : {}),
    ...(part ? { part } : {}),
    ...(older ? { older } : {}),
    ...(suspected ? { suspected } : {}),
    ...(outdated ? { outdated: outdated.notes } : {}),
  }
}
