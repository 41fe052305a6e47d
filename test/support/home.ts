import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** A folder that is gone after the test. Its name has a space in it, because some users' have. */
export function throwawayFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "reverie test-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
