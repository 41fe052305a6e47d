import { readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { writeAtomically } from "../../base/files/files.ts"
import { newId, type Random } from "../../base/random.ts"
import type { OutgoingFile } from "../channels/channel.ts"

/** Files that were not posted in this time are deleted. */
const keptMs = 24 * 3_600_000

/** Stores files until they are posted, so that a restart loses none. */
export function openPendingFiles({ clock, random }: { clock: Clock; random: Random }, folder: string) {
  const sweep = async () => {
    for (const name of await readdir(folder).catch(() => [])) {
      const madeAt = Number.parseInt(/^media-([0-9a-z]+)-/.exec(name)?.[1] ?? "0", 36)
      if (Math.abs(clock.now() - madeAt) > keptMs) await rm(join(folder, name), { force: true })
    }
  }
  return {
    /** Stores files and returns their id. */
    async put(files: readonly OutgoingFile[]): Promise<string> {
      await sweep()
      const id = newId(random, `media-${clock.now().toString(36)}-`)
      const kept = files.map(({ bytes, ...rest }) => ({
        ...rest,
        bytes: Buffer.from(bytes).toString("base64"),
      }))
      writeAtomically(join(folder, `${id}.json`), JSON.stringify(kept))
      return id
    },
    /** The stored files; none if they are gone. */
    async find(id: string): Promise<OutgoingFile[]> {
      if (!/^media-[\w-]{1,80}$/.test(id)) return []
      try {
        const kept = JSON.parse(await readFile(join(folder, `${id}.json`), "utf8")) as (Omit<
          OutgoingFile,
          "bytes"
        > & { bytes: string })[]
        return kept.map(({ bytes, ...rest }) => ({ ...rest, bytes: Buffer.from(bytes, "base64") }))
      } catch {
        return []
      }
    },
  }
}
