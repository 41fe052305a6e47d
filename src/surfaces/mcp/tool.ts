import { z } from "zod"
import type { Client } from "../../api/client.ts"
import { wrongInput } from "../../base/text/wrong-input.ts"
import { fitInput } from "../../safety/fit-input.ts"
import { type ClientContext, projectOf } from "./client-context.ts"

/** What a tool works with. */
interface ToolWorld {
  client: Client
  context: ClientContext
}

/** What a program may think of a tool before it asks its user. Nothing of ours reaches out into the world. */
interface Hints {
  readOnly: boolean
  /** It may take something away or hide it; `reverie undo` brings that back. */
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
  run(world: ToolWorld, input: z.output<Input>): Promise<z.input<Output>>
  /** The answer as text to read. */
  say(value: z.output<Output>): string
}

/** One tool as agents see it. */
export interface McpTool extends Omit<Definition<z.ZodObject, z.ZodObject>, "run" | "say"> {
  /** Checks the input, does it, and gives back what the output's shape says and no more. */
  run(world: ToolWorld, input: unknown): Promise<ToolAnswer>
  say(value: Record<string, unknown>): string
}

type ToolAnswer =
  | { outcome: "done"; value: Record<string, unknown>; folder: string | undefined }
  | { outcome: "wrong"; problem: string }

/** Defines a tool once: what agents are told of it, how its input is checked, what it does and answers. */
export function defineMcpTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): McpTool {
  const schema = z.toJSONSchema(definition.input, { io: "input" })
  return {
    ...definition,
    say: (value) => definition.say(definition.output.parse(value)),
    async run(world, input) {
      const fitted = fitInput(schema, input ?? {})
      const parsed = definition.input.safeParse(fitted)
      if (!parsed.success)
        return { outcome: "wrong", problem: calledWrongly(definition, parsed.error, fitted) }
      const given: unknown = Reflect.get(parsed.data, "project")
      const folder = projectOf(world.context, typeof given === "string" ? given : undefined)
      const value = definition.output.parse(await definition.run(world, parsed.data))
      return { outcome: "done", value, folder }
    },
  }
}

function calledWrongly(
  { name, input }: { name: string; input: z.ZodObject },
  error: z.ZodError,
  given: unknown,
): string {
  const [issue] = error.issues
  const known = Object.keys(input.shape).join(", ") || "nothing"
  if (issue?.code === "unrecognized_keys")
    return `${name} does not take ${issue.keys.join(", ")}; it takes ${known}.`
  return `${name} was called wrongly: ${wrongInput(error, given)}`
}
