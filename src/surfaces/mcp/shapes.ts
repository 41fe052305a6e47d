import { z } from "zod"
import { schemaVersion } from "../../api/answers/answer.ts"
import { memoryScopes, memorySources, memoryStatuses, memoryTypes } from "../../memory/model/kinds.ts"
import { edges } from "./fence.ts"

/** The shapes that tools take and answer with. Answers say what an agent can use, not all that is known. */

const project = z
  .string()
  .min(1)
  .max(4000)
  .optional()
  .describe("Folder of the project this is about. Default: the one this server was started for.")

export const inputs = {
  id: z.string().min(1).max(100).describe("A memory's id, or the beginning or end of it."),
  project,
  /** From where one looks. */
  view: {
    project,
    all_projects: z.boolean().default(false).describe("Look into every project, not only this one."),
  },
  type: z.enum(memoryTypes),
  tags: z.array(z.string().min(1).max(100)).max(50),
}

/**
 * Every answer says which version of its form it has, and stands in our fence: agents' programs keep answers in their
 * transcripts, some under names of tools that are not ours.
 */
export function answerShape<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({
    schemaVersion: z.number().default(schemaVersion),
    begin: z.literal(edges.begin).default(edges.begin),
    ...shape,
    end: z.literal(edges.end).default(edges.end),
  })
}

const brief = {
  id: z.string(),
  content: z.string(),
  type: z.enum(memoryTypes),
  scope: z.enum(memoryScopes),
  tags: z.array(z.string()),
  label: z.string().optional().describe("Says where it is an agent's note, and not the user's word."),
}

export const shapes = {
  hit: z.object({
    ...brief,
    score: z.number(),
    sure: z.boolean().describe("False: it may have nothing to do with the question."),
    at: z.string().describe("When it was said."),
    source: z.enum(memorySources),
    via: z.array(z.string()).describe("What found it."),
    steps: z.array(z.string()).optional(),
    prerequisites: z.array(z.string()).optional(),
    warnings: z.array(z.string()).optional(),
    older: z.string().optional().describe("A newer result that says otherwise."),
    outdated: z.array(z.string()).optional().describe("Why it may not hold any more."),
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
    source: z.enum(memorySources).describe("Where it is known from."),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
  edge: z.object({ source: z.string(), kind: z.string(), target: z.string(), weight: z.number() }),
}

/** What an act changed; `unchanged` if everything was so already. */
export const changedShape = answerShape({
  outcome: z.string(),
  operation: z.string().describe("Gives it back: `reverie undo OPERATION`."),
  memories: z.array(shapes.memory),
})
