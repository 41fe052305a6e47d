import { z } from "zod"
import { messageOf } from "../base/errors.ts"
import type { ToolCall, ToolResult, ToolShape } from "./choice/access.ts"
import { fitInput } from "./fit-input.ts"

/** What a tool hands back: text for the model; `ends` closes the conversation. */
interface ToolOutcome {
  text: string
  isError?: boolean
  ends?: boolean
}

/** Something a model may have done. */
export interface Tool {
  shape: ToolShape
  /** Checks the input and does it; never throws. */
  run(input: unknown, signal: AbortSignal): Promise<ToolOutcome>
}

interface Definition<Input extends z.ZodObject> {
  name: string
  description: string
  input: Input
  run(input: z.infer<Input>, signal: AbortSignal): Promise<ToolOutcome | string>
}

/** Defines a tool once: what the model is told of it, how its input is checked, what it does. */
export function defineTool<Input extends z.ZodObject>(definition: Definition<Input>): Tool {
  const { $schema, ...schema } = z.toJSONSchema(definition.input, { io: "input" })
  const { name, description } = definition
  return {
    shape: { name, description, schema },
    async run(input, signal) {
      const parsed = definition.input.safeParse(fitInput(schema, input))
      if (!parsed.success) return { text: wrongInput(name, parsed.error), isError: true }
      try {
        const outcome = await definition.run(parsed.data, signal)
        return typeof outcome === "string" ? { text: outcome } : outcome
      } catch (error) {
        return { text: `${name} failed: ${messageOf(error)}`, isError: true }
      }
    },
  }
}

function wrongInput(name: string, error: z.ZodError): string {
  const each = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join(".")}: ${message}` : message,
  )
  return `The input of ${name} is wrong. ${each.join("; ")}. Call it again with a right one.`
}

/** Runs one call of a model; a name that is none of the tools' is answered with those there are. */
export async function runCall(
  tools: readonly Tool[],
  call: ToolCall,
  signal: AbortSignal,
): Promise<{ result: ToolResult; ends: boolean }> {
  const tool = tools.find(({ shape }) => shape.name === call.name)
  const outcome = tool ? await tool.run(call.input, signal) : unknownTool(tools, call.name)
  const { text, isError = false, ends = false } = outcome
  return { result: { callId: call.id, name: call.name, text, isError }, ends: ends && !isError }
}

function unknownTool(tools: readonly Tool[], name: string): ToolOutcome {
  const names = tools.map(({ shape }) => shape.name).join(", ")
  return { text: `There is no tool ${name}. The tools are: ${names}.`, isError: true }
}
