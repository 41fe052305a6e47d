import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { makePrivateFolder } from "../../base/files/files.ts"

/** An older folder was left by a run that crashed. */
const abandonedMs = 24 * 3_600_000
const prefix = "run-"

/** The files of one run, private to their owner. */
export interface Scratch {
  folder: string
  /** Writes a file and returns its path. */
  write(name: string, text: string): string
  remove(): void
}

/** Creates the folder of one run, and deletes those that crashed runs left. */
export function openScratch(clock: Clock, parent: string): Scratch {
  makePrivateFolder(parent)
  for (const name of readdirSync(parent)) {
    const old = join(parent, name)
    if (name.startsWith(prefix) && isOld(clock, old)) rmSync(old, { recursive: true, force: true })
  }
  const folder = mkdtempSync(join(parent, prefix))
  return {
    folder,
    write(name, text) {
      const file = join(folder, name)
      writeFileSync(file, text, { mode: 0o600 })
      return file
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function isOld(clock: Clock, folder: string): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false })
  return stat !== undefined && clock.now() - stat.mtimeMs > abandonedMs
}
