import type { GardenWork } from "../../memory/garden/garden.ts"
import { archiveBeyond } from "../../memory/garden/over-capacity.ts"
import { memoryWorks, type WorkNeeds } from "../../memory/garden/works.ts"
import type { ExtractSessionNeeds } from "../extract-session.ts"
import { readMissedSessions } from "./missed-sessions.ts"

/** Everything the garden does in a cycle, in its order: first what brings memories, last what takes them away. */
export function gardenWorks(needs: WorkNeeds & ExtractSessionNeeds): GardenWork[] {
  return [
    readMissedSessions(needs),
    ...memoryWorks(needs),
    archiveBeyond(needs, needs.config.memory.capacity),
  ]
}
