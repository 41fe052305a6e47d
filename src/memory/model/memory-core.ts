import type { Embedder } from "../../embedding/embedder.ts"
import type { Screen } from "../../privacy/screen.ts"
import type { Core } from "../../storage/core.ts"
import type { ProjectFinder } from "./project.ts"

/** What most work on memories needs. */
export interface MemoryCore extends Core {
  projects: ProjectFinder
  screen: Screen
  /** Without one, memories are compared by their words only. */
  embedder: Embedder | undefined
}
