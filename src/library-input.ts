import { z } from "zod"
import { type Moment, parseMoment } from "./base/clock.ts"
import { UserError } from "./base/errors.ts"
import type { Log } from "./base/log.ts"
import { describeInvalidInput } from "./base/text/invalid-input.ts"
import type { Embedder } from "./embedding/embedder.ts"

/** Schemas for the library's arguments, because not all callers use TypeScript. */

const text = z.string().min(1)
const anyFunction = z.custom<(...given: never[]) => unknown>(
  (value) => typeof value === "function",
  "A function is expected",
)

/** Whether a value has these fields, each of this type. */
function has(value: unknown, type: string, ...fields: string[]): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    fields.every((name) => typeof Reflect.get(value, name) === type)
  )
}

const embedder = z.custom<Embedder>(
  (value) =>
    has(value, "string", "model") &&
    has(value, "number", "dimensions") &&
    has(value, "object", "similarity") &&
    has(value, "function", "embed", "status", "close"),
  "The embedder must have model, dimensions, similarity, embed(), status() and close()",
)

const log = z.custom<Log>(
  (value) => has(value, "function", "debug", "info", "warn", "error"),
  "The log must have debug(), info(), warn() and error()",
)

/** A Date, ISO text or milliseconds, converted to milliseconds. */
const moment = z
  .custom<Moment>(
    (value) => parseMoment(value) !== undefined,
    "The time must be a Date, a text such as 2026-03-01T12:00:00Z, or milliseconds since 1970",
  )
  .transform((value) => parseMoment(value) ?? 0)

export const optionsSchema = z.object({
  home: text.optional(),
  url: text.optional(),
  settings: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  embedder: embedder.optional(),
  actor: text.max(100).optional(),
  onDownload: anyFunction.optional(),
  log: log.optional(),
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

/** Parses the input; throws a UserError that says what is wrong. */
export function requireInput<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new UserError("usage", describeInvalidInput(parsed.error, given))
}

/** Throws if the argument is not iterable. */
export function requireMany(memories: unknown): void {
  const isMany = typeof memories === "object" && memories !== null
  if (isMany && (Symbol.iterator in memories || Symbol.asyncIterator in memories)) return
  throw new UserError("usage", "rememberAll needs a list of memories, or something that yields them.")
}
