import { z } from "zod"
import { type Asked, type AskedMessage, type AskedTool, addMessage, readJson } from "./asked.ts"

const contentSchema = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
])
const messageSchema = z.looseObject({
  type: z.literal("message").default("message"),
  role: z.enum(["system", "developer", "user", "assistant"]),
  content: contentSchema,
})
const callSchema = z.looseObject({
  type: z.enum(["function_call", "custom_tool_call"]),
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().optional(),
  arguments: z.string().optional(),
  input: z.string().optional(),
})
const resultSchema = z.looseObject({
  type: z.enum(["function_call_output", "custom_tool_call_output"]),
  call_id: z.string(),
  output: contentSchema,
})
const itemSchema = z.union([messageSchema, callSchema, resultSchema, z.looseObject({ type: z.string() })])

const toolSchema = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  description: z.string().nullish(),
  parameters: z.unknown().optional(),
})

export const responsesBodySchema = z.looseObject({
  model: z.string(),
  input: z.union([
    z.string().transform((content): Item[] => [{ type: "message", role: "user", content }]),
    z.array(itemSchema),
  ]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  max_output_tokens: z.number().nullish(),
  previous_response_id: z.string().nullish(),
  include: z.array(z.string()).nullish(),
  tool_choice: z.unknown().optional(),
  tools: z.array(toolSchema).nullish(),
})
export type ResponsesBody = z.infer<typeof responsesBodySchema>
type Item = z.infer<typeof itemSchema>

export function readResponsesAsked(body: ResponsesBody): Asked {
  const system = [body.instructions ?? ""]
  const messages: AskedMessage[] = []
  for (const item of body.input) readItem(item, system, messages)
  return {
    model: body.model,
    system: system.filter((text) => text !== "").join("\n\n"),
    messages,
    tools: (body.tools ?? []).flatMap(readTool),
    maxTokens: body.max_output_tokens ?? null,
    stream: body.stream ?? false,
  }
}

function readItem(item: Item, system: string[], messages: AskedMessage[]): void {
  const message = messageSchema.safeParse(item).data
  const call = callSchema.safeParse(item).data
  const result = resultSchema.safeParse(item).data
  if (message?.role === "user") messages.push({ role: "user", text: textOf(message.content) })
  else if (message?.role === "assistant") {
    addMessage(messages, { role: "assistant", text: textOf(message.content), calls: [] })
  } else if (message !== undefined) system.push(textOf(message.content))
  if (call !== undefined) {
    const input = call.input ?? readJson(call.arguments ?? "")
    const name = call.namespace === undefined ? call.name : `${call.namespace}__${call.name}`
    addMessage(messages, {
      role: "assistant",
      text: "",
      calls: [{ id: call.call_id, name, input }],
    })
  }
  if (result !== undefined) {
    const told = { callId: result.call_id, text: textOf(result.output), isError: false }
    addMessage(messages, { role: "tool", results: [told] })
  }
}

function textOf(content: z.infer<typeof contentSchema>): string {
  if (typeof content === "string") return content
  return content.flatMap((part) => part.text ?? []).join("\n")
}

const groupSchema = z.looseObject({ name: z.string(), tools: z.array(toolSchema) })

/** Tools of a namespace are told with its name before theirs; tools without a name are the provider's own. */
function readTool(tool: z.infer<typeof toolSchema>): AskedTool[] {
  const group = groupSchema.safeParse(tool).data
  if (group !== undefined) {
    return group.tools.flatMap(readTool).map((inner) => ({ ...inner, name: `${group.name}__${inner.name}` }))
  }
  const schema = tool.parameters ?? null
  return [{ name: tool.name ?? tool.type, description: tool.description ?? "", schema }]
}
