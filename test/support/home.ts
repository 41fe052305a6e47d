import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

/** Lets an installation work by words alone: for tests that start many processes and are about something else. */
export function withoutEmbedder(home: string): void {
  writeFileSync(join(home, "config.toml"), '[embedding]\nmodel = "none"\n', { mode: 0o600 })
}

/** A folder that is gone after the test. Its name has a space in it, because some users' have. */
export function throwawayFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "reverie test-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
