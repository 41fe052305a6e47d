import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { z } from "zod"
import type { SessionTool } from "../../sessions/session.ts"

const markSchema = z.object({ tool: z.string(), place: z.string(), since: z.number() })

/** The location that is being read. It is in a file meanwhile, where the next process finds it after a crash. */
type ReadingMark = z.infer<typeof markSchema>

/** Opens the mark in a file. */
export function openReadingMark(file: string) {
  let marked: string | undefined
  return {
    /** The location that the last process was reading when it died; undefined after a regular end. */
    interrupted(): ReadingMark | undefined {
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
