import { readFileSync, rmSync } from "node:fs"
import { z } from "zod"
import { type Clock, isoTime } from "../base/clock.ts"
import { writeAtomically } from "../base/files/files.ts"
import { around } from "./around.ts"
import type { Embedder } from "./embedder.ts"

const noteSchema = z.object({ model: z.string(), at: z.string(), reason: z.string() })

/** What the last process that used the embedder noticed. */
export type FailureNote = z.output<typeof noteSchema>

/** The failure that was noted last of this model, or undefined if it works as far as is known. */
export function readFailureNote(file: string, model: string): FailureNote | undefined {
  try {
    const note = noteSchema.parse(JSON.parse(readFileSync(file, "utf8")))
    return note.model === model ? note : undefined
  } catch {
    return undefined
  }
}

/** Notes in a file when the embedder fails, and that it works again: the next command is another process. */
export function withFailureNote(
  { file, clock }: { file: string; clock: Clock },
  embedder: Embedder,
): Embedder {
  let noted: string | undefined | null = null

  function look(): void {
    const { state, reason } = embedder.status()
    if (noted === null) noted = readFailureNote(file, embedder.model)?.reason
    if (state === "failed" && reason !== undefined && reason !== noted) {
      noted = reason
      write({ model: embedder.model, at: isoTime(clock.now()), reason })
    } else if (state === "ready" && noted !== undefined) {
      noted = undefined
      rmSync(file, { force: true })
    }
  }

  /** A disk that cannot be written is told elsewhere. */
  function write(note: FailureNote): void {
    try {
      writeAtomically(file, `${JSON.stringify(note)}\n`)
    } catch {
      noted = undefined
    }
  }

  return around(embedder, {
    async embed(texts, options) {
      try {
        return await embedder.embed(texts, options)
      } finally {
        look()
      }
    },
    status() {
      const status = embedder.status()
      if (status.state !== "idle") return status
      const note = readFailureNote(file, embedder.model)
      return note ? { ...status, state: "failed", reason: note.reason } : status
    },
  })
}
