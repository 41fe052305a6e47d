import { z } from "zod"
import { contextSchema, type NewRequest, normalizedKind, urgencies } from "../safety/permission/request.ts"
import { defineTool, type Tool, type ToolOutcome } from "../safety/tool.ts"

/** A permission that the agent asks for. */
export type PermissionDraft = Omit<NewRequest, "askedBy" | "expiresAt">

const longText = z.string().max(2000)

/** The tool that asks a person for permission. */
export function permissionTool(ask: (wanted: PermissionDraft) => Promise<ToolOutcome>): Tool {
  return defineTool({
    name: "request_permission",
    description:
      "Ask the person to allow something you may not do by yourself. Go on with other work; what they decide reaches you later. With `tool` and `input` exactly that call runs when they approve.",
    input: z.object({
      action: z
        .string()
        .max(100)
        .transform(normalizedKind)
        .pipe(z.string().regex(/^[a-z][a-z0-9_]+$/, "must be a short name of the letters a to z"))
        .describe("a short name of the kind of thing, such as fix_failing_test"),
      description: longText.min(3).describe("what you want to do"),
      rationale: longText.min(3).describe("why it is worth it"),
      urgency: z.enum(urgencies).default("normal"),
      wait: z.boolean().default(false).describe("whether you want to hear what was decided"),
      project: z.string().min(4).nullish(),
      context: contextSchema.partial().default({}),
      tool: z.string().max(100).optional(),
      input: z.record(z.string(), z.unknown()).optional(),
    }),
    // Asking is always allowed; a person decides about the request.
    tier: "auto",
    run: ({ tool, input, context, project, ...wanted }) =>
      ask({
        ...wanted,
        project: project ?? null,
        context: contextSchema.parse(context),
        call: tool === undefined ? null : { tool, input: input ?? {} },
      }),
  })
}
