import { z } from "zod"
import type { Client } from "../../api/client.ts"
import { describeInvalidInput } from "../../base/text/invalid-input.ts"
import { coerceInput } from "../../safety/coerce-input.ts"
import { type ClientContext, projectOf } from "./client-context.ts"

/** What a tool works with. */
interface ToolContext {
  client: Client
  context: ClientContext
}

/** Hints for clients that ask their user before a call. No tool reaches outside of Reverie. */
interface Hints {
  readOnly: boolean
  /** It may remove or hide something; `reverie undo` brings it back. */
  destructive?: boolean
  idempotent?: boolean
}

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string
  title: string
  description: string
  hints: Hints
  input: Input
  output: Output
  run(tool: ToolContext, input: z.output<Input>): Promise<z.input<Output>>
  /** The answer as text to read. */
  toText(value: z.output<Output>): string
}

/** One tool as agents see it. */
export interface McpTool extends Omit<Definition<z.ZodObject, z.ZodObject>, "run"> {
  /** Checks the input, runs the tool, and returns only the fields of the output schema. */
  run(tool: ToolContext, input: unknown): Promise<ToolAnswer>
  toText(value: Record<string, unknown>): string
}

type ToolAnswer =
  | { outcome: "done"; value: Record<string, unknown>; folder: string | undefined }
  | { outcome: "wrong"; problem: string }

/** Defines a tool: its description, its input and output schemas, and what it does. */
export function defineMcpTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): McpTool {
  const schema = z.toJSONSchema(definition.input, { io: "input" })
  return {
    ...definition,
    toText: (value) => definition.toText(definition.output.parse(value)),
    async run(tool, input) {
      const fitted = coerceInput(schema, input ?? {})
      const parsed = definition.input.safeParse(fitted)
      if (!parsed.success)
        return { outcome: "wrong", problem: inputProblem(definition, parsed.error, fitted) }
      const project: unknown = Reflect.get(parsed.data, "project")
      const folder = projectOf(tool.context, typeof project === "string" ? project : undefined)
      const value = definition.output.parse(await definition.run(tool, parsed.data))
      return { outcome: "done", value, folder }
    },
  }
}

function inputProblem(
  { name, input }: { name: string; input: z.ZodObject },
  error: z.ZodError,
  value: unknown,
): string {
  const [issue] = error.issues
  const known = Object.keys(input.shape).join(", ") || "nothing"
  if (issue?.code === "unrecognized_keys")
    return `${name} does not take ${issue.keys.join(", ")}; it takes ${known}.`
  return `Wrong input for ${name}: ${describeInvalidInput(error, value)}`
}
