import { confidenceAt } from "../../memory/model/decay.ts"
import type { Memory } from "../../memory/model/memory.ts"
import type { Fading } from "../../memory/write/change/fading.ts"
import type { Answers } from "../contract/answers.ts"
import { presentShown } from "./shown.ts"

/** What fades, as it travels. */
export function presentFading({ expired, faint, counts }: Fading, now: number): Answers["fading"] {
  const present = (memory: Memory) => ({
    ...presentShown(memory),
    confidenceNow: confidenceAt(memory, now),
  })
  return { expired: expired.map(present), faint: faint.map(present), counts }
}
