import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { z } from "zod"
import type { SessionTool } from "../../sessions/session.ts"

const markSchema = z.object({ tool: z.string(), place: z.string(), since: z.number() })

/** What is being read: it stands in a file while it is, and is found there by whoever comes after a sudden end. */
export type ReadingMark = z.infer<typeof markSchema>

/** Opens the mark at a file. */
export function openReadingMark(file: string) {
  let marked: string | undefined
  return {
    /** What was being read when the process before this one died; undefined after an orderly end. */
    left(): ReadingMark | undefined {
      try {
        return markSchema.parse(JSON.parse(readFileSync(file, "utf8")))
      } catch {
        return undefined
      }
    },
    put(tool: SessionTool, location: string, since: number): void {
      if (marked === location) return
      writeFileSync(file, JSON.stringify({ tool, place: location, since } satisfies ReadingMark), {
        mode: 0o600,
      })
      marked = location
    },
    remove(): void {
      marked = undefined
      rmSync(file, { force: true })
    },
  }
}
