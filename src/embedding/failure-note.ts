import { readFileSync, rmSync } from "node:fs"
import { z } from "zod"
import { type Clock, isoTime } from "../base/clock.ts"
import { writeAtomically } from "../base/files/files.ts"
import type { Embedder } from "./embedder.ts"
import { wrapEmbedder } from "./wrap-embedder.ts"

const noteSchema = z.object({ model: z.string(), at: z.string(), reason: z.string() })

/** The failure that the last process with this embedder met. */
export type FailureNote = z.output<typeof noteSchema>

/** The stored failure of a model; undefined if none is known. */
export function readFailureNote(file: string, model: string): FailureNote | undefined {
  try {
    const note = noteSchema.parse(JSON.parse(readFileSync(file, "utf8")))
    return note.model === model ? note : undefined
  } catch {
    return undefined
  }
}

/** Stores a failure in a file until the embedder works again: the next command is another process. */
export function withFailureNote(
  { file, clock }: { file: string; clock: Clock },
  embedder: Embedder,
): Embedder {
  let noted: string | undefined | null = null

  function update(): void {
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

  /** A full or read-only disk is reported elsewhere. */
  function write(note: FailureNote): void {
    try {
      writeAtomically(file, `${JSON.stringify(note)}\n`)
    } catch {
      noted = undefined
    }
  }

  return wrapEmbedder(embedder, {
    async embed(texts, options) {
      try {
        return await embedder.embed(texts, options)
      } finally {
        update()
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
