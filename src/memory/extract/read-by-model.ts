import { z } from "zod"
import type { Cause } from "../../llm/ask.ts"
import type { Models } from "../../llm/choice/models.ts"
import { withReadOnlyGuard } from "../../safety/dispatch.ts"
import { defineTool } from "../../safety/tool.ts"
import { checkNote, type Excerpt, type Note, noteSchema } from "./check-notes.ts"
import type { Claim } from "./claim.ts"
import { readingInstructions, readingText } from "./prompts.ts"

/** The claims that the session supports, or why there are none. */
export type ModelReading =
  | { outcome: "read"; claims: Claim[]; dropped: number; model: string }
  | { outcome: "failed"; why: string }

const limits = { steps: 2, calls: 2, tokens: 60_000, wallMs: 120_000 }

/** Asks a model to read part of a session. Its notes are checked here: the prompt alone protects nothing. */
export async function readByModel(
  models: Models,
  excerpt: Excerpt,
  { most, signal, cause, cycle }: { most: number; signal: AbortSignal; cause: Cause; cycle: string | null },
): Promise<ModelReading> {
  let notes: Note[] | undefined
  const record = defineTool({
    name: "record_memories",
    description: "Records what is worth knowing in later sessions; an empty list if nothing is.",
    input: z.object({ memories: z.array(noteSchema) }),
    tier: "auto",
    async run({ memories }) {
      notes = memories
      return { text: "Recorded.", ends: true }
    },
  })
  const text = readingText(excerpt.turns, excerpt.from, excerpt.gaps, most)
  const conversed = await models.converse(
    "extraction",
    {
      system: readingInstructions,
      messages: [{ role: "user", text }],
      ...withReadOnlyGuard([record]),
      limits,
      maxOutputTokens: 4000,
      mustCall: true,
      signal,
    },
    { source: "extraction", cycle, cause },
  )
  if (notes === undefined) return { outcome: "failed", why: whyNothing(conversed.end) }
  const claims = notes.slice(0, most).flatMap((note) => checkNote(note, excerpt) ?? [])
  return { outcome: "read", claims, dropped: notes.length - claims.length, model: conversed.by?.model ?? "" }
}

function whyNothing(end: { reason: string; failure?: { message: string } }): string {
  return end.failure?.message ?? `the model recorded nothing (${end.reason})`
}
