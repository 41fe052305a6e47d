import type { Embedder } from "../../embedding/embedder.ts"
import type { Screen } from "../../privacy/screen.ts"
import type { Core } from "../../storage/core.ts"
import type { ProjectFinder } from "./project.ts"

/** The shared dependencies of code that works on memories. */
export interface MemoryCore extends Core {
  projects: ProjectFinder
  screen: Screen
  /** Without one, memories are compared and found by their words only. */
  embedder: Embedder | undefined
}
