import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** Lets an installation work by words alone: for tests that start many processes and are about something else. */
export function withoutEmbedder(home: string): void {
  writeFileSync(join(home, "config.toml"), '[embedding]\nmodel = "none"\n', { mode: 0o600 })
}

/** Takes what has to be done afterwards; at the end of the test where nothing else is said. */
export type OnEnd = (work: () => void) => void

/** A folder that is gone after the test. Its name has a space in it, because some users' have. */
export function throwawayFolder(onEnd: OnEnd = onTestFinished, where = tmpdir()): string {
  const folder = mkdtempSync(join(realpathSync(where), "reverie test-"))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
