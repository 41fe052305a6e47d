import { isoTime } from "../../base/clock.ts"
import { labelOf } from "../model/agents/agents.ts"
import type { Memory } from "../model/memory.ts"
import type { Hit } from "./retrieve.ts"

/** A memory that was found, as it is shown: plain data with times as ISO text. */
export interface PresentedHit
  extends Pick<Memory, "id" | "content" | "type" | "scope" | "project" | "tags" | "sourceId" | "source"> {
  /** How likely it belongs to the answer, 0 to 1. */
  score: number
  /** Whether it is likely enough to be told to somebody who did not ask. */
  sure: boolean
  /** "noted by an agent", where nobody else said it. */
  label?: string
  /** When it was said. */
  at: string
  /** How it was found. */
  via: string[]
  /** A procedure's parts. */
  steps?: string[]
  prerequisites?: string[]
  warnings?: string[]
  /** Which part of a longer text it is, from 1, and of how many. */
  part?: { number: number; of: number }
  /** The id of a newer hit that says otherwise. */
  older?: string
  /** Only the trained model takes that newer one for an update of this; nobody has decided yet. */
  suspected?: true
  /** Why it does not seem to hold any more. */
  outdated?: string[]
}

/** A hit as it is shown. */
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
