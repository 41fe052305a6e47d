import { z } from "zod"
import { type Moment, timeOf } from "./base/clock.ts"
import { UserError } from "./base/errors.ts"
import { wrongInput } from "./base/text/wrong-input.ts"

/** What programs may hand to the library; many are not checked by a compiler. */

const text = z.string().min(1)
const anyFunction = z.custom<(...given: never[]) => unknown>(
  (value) => typeof value === "function",
  "A function is expected",
)

/** A moment in any of the ways programs have for it, as milliseconds. */
const moment = z
  .custom<Moment>(
    (value) => timeOf(value) !== undefined,
    "The time must be a Date, a text such as 2026-03-01T12:00:00Z, or milliseconds since 1970",
  )
  .transform((value) => timeOf(value) ?? 0)

export const optionsSchema = z.object({
  home: text.optional(),
  url: text.optional(),
  settings: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  actor: text.max(100).optional(),
  onDownload: anyFunction.optional(),
})

export const questionSchema = z.object({
  query: z.string(),
  limit: z.int().min(1).max(10_000).default(10),
  project: text.optional(),
  allProjects: z.boolean().optional(),
  session: text.optional(),
  audiences: z.array(z.string()).optional(),
  askedAt: moment.optional(),
  gate: z.union([z.boolean(), z.literal("strict")]).optional(),
})

export const sessionSchema = z.object({ id: text, project: text.optional(), tool: text.optional() })

export const turnSchema = z.object({
  role: z.enum(["user", "assistant", "tool"]),
  text: z.string(),
  tool: text.optional(),
  isError: z.boolean().optional(),
  files: z.array(z.string()).optional(),
})

export const gardenSchema = z.object({ limit: z.int().min(1).optional() })

export const manySchema = z.object({
  verbatim: z.boolean().optional(),
  onProgress: anyFunction.optional(),
  onOutcome: anyFunction.optional(),
})

export const operationSchema = z.object({ operation: text.optional() })

/** What was given if the schema accepts it; else a UserError whose sentence says what is wrong. */
export function requireInput<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new UserError("usage", wrongInput(parsed.error, given))
}

/** Refuses what yields nothing. */
export function requireMany(memories: unknown): void {
  const isMany = typeof memories === "object" && memories !== null
  if (isMany && (Symbol.iterator in memories || Symbol.asyncIterator in memories)) return
  throw new UserError("usage", "rememberAll needs a list of memories, or something that yields them.")
}
