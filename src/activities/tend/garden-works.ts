import { verifyFacts } from "../../coding/verify/facts.ts"
import type { ExtractSessionNeeds } from "../../memory/extract/extract-session.ts"
import type { GardenWork } from "../../memory/garden/garden.ts"
import { archiveBeyond } from "../../memory/garden/over-capacity.ts"
import { memoryWorks } from "../../memory/garden/works.ts"
import { openOffLimits } from "../../privacy/files/off-limits.ts"
import { readMissedSessions } from "./missed-sessions.ts"

/** Everything the garden does in a cycle, in its order: first what brings memories, last what takes them away. */
export function gardenWorks(needs: ExtractSessionNeeds): GardenWork[] {
  const offLimits = openOffLimits(needs)
  return [
    readMissedSessions(needs),
    ...memoryWorks(needs),
    verifyFacts({ ...needs, offLimits }),
    archiveBeyond(needs, needs.config.memory.capacity),
  ]
}
