import { z } from "zod"
import { schemaVersion } from "../../api/answers/answer.ts"
import { memoryScopes, memorySources, memoryStatuses, memoryTypes } from "../../memory/model/kinds.ts"
import { fenceFields } from "./fence.ts"

/** Inputs and answers of tools. Answers contain what an agent can use, not every field. */

const project = z
  .string()
  .min(1)
  .max(4000)
  .optional()
  .describe("Folder of the project this is about. Default: the one this server was started for.")

export const inputs = {
  id: z.string().min(1).max(100).describe("A memory's id, or the beginning or end of it."),
  project,
  /** Which memories are visible. */
  scope: {
    project,
    all_projects: z.boolean().default(false).describe("Search every project, not only this one."),
  },
  type: z.enum(memoryTypes),
  tags: z.array(z.string().min(1).max(100)).max(50),
}

/** Every answer has a schema version and our fence, which marks it in transcripts whatever the tool is called there. */
export function answerShape<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({
    schemaVersion: z.number().default(schemaVersion),
    begin: z.literal(fenceFields.begin).default(fenceFields.begin),
    ...shape,
    end: z.literal(fenceFields.end).default(fenceFields.end),
  })
}

const brief = {
  id: z.string(),
  content: z.string(),
  type: z.enum(memoryTypes),
  scope: z.enum(memoryScopes),
  tags: z.array(z.string()),
  label: z.string().optional().describe("Present if it is an agent's note, not the user's statement."),
}

export const shapes = {
  hit: z.object({
    ...brief,
    score: z.number(),
    sure: z.boolean().describe("False: it may be unrelated to the question."),
    at: z.string().describe("When it was said."),
    source: z.enum(memorySources),
    via: z.array(z.string()).describe("What found it."),
    steps: z.array(z.string()).optional(),
    prerequisites: z.array(z.string()).optional(),
    warnings: z.array(z.string()).optional(),
    older: z.string().optional().describe("A newer result that says otherwise."),
    outdated: z.array(z.string()).optional().describe("Why it may no longer be true."),
  }),
  recalled: z.object({
    id: z.string(),
    content: z.string(),
    type: z.string(),
    score: z.number(),
    at: z.string(),
    origin: z.string(),
    isRule: z.boolean().optional(),
    outdated: z.array(z.string()).optional(),
  }),
  memory: z.object({
    ...brief,
    status: z.enum(memoryStatuses),
    source: z.enum(memorySources).describe("How it is known."),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
  edge: z.object({ source: z.string(), kind: z.string(), target: z.string(), weight: z.number() }),
}

/** What a tool changed; `unchanged` if nothing did. */
export const changedShape = answerShape({
  outcome: z.string(),
  operation: z.string().describe("To undo it: `reverie undo OPERATION`."),
  memories: z.array(shapes.memory),
})
