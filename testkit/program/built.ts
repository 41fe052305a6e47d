import { createRequire, enableCompileCache } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Where the build puts the program. */
export const dist = fileURLToPath(new URL("../../dist", import.meta.url))

/** A part of the bundle as Node itself loads it, not as the test runner would: the code that is shipped, and quickly there. */
export function loadBuilt<T>(part: string): T {
  enableCompileCache()
  return createRequire(import.meta.url)(join(dist, part))
}
