import { z } from "zod"
import { anthropicFailure } from "./anthropic-failure.ts"
import { type Asked, type AskedMessage, addMessage, readJson } from "./asked.ts"
import { pairingProblem } from "./pairing.ts"
import type { Said, SaidCall } from "./said.ts"
import { pieces, type WireEvent, type WireFormat } from "./wire-format.ts"

/** Anthropic's Messages API. */
export const messagesFormat: WireFormat = {
  id: "messages",
  open(body) {
    const parsed = bodySchema.parse(body)
    const asked = readAsked(parsed)
    return { asked, complaint: complaintAbout(parsed, asked), answer, events }
  },
  refuse(failing, asked) {
    const { status, error } = anthropicFailure(failing, asked)
    const body = { type: "error", error, request_id: "req_scripted" }
    return { status, body, event: { name: "error", data: body } }
  },
  headers: (requestId) => ({
    "request-id": `req_${requestId}`,
    "anthropic-organization-id": "00000000-0000-4000-8000-000000000000",
  }),
}

const blockSchema = z.looseObject({ type: z.string() })
const contentSchema = z.union([
  z.string().transform((text) => [{ type: "text", text }]),
  z.array(blockSchema),
])
const bodySchema = z.looseObject({
  model: z.string(),
  max_tokens: z.number().int().positive(),
  stream: z.boolean().default(false),
  system: contentSchema.default([]),
  messages: z
    .array(z.looseObject({ role: z.enum(["user", "assistant", "system"]), content: contentSchema }))
    .min(1),
  tools: z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string().default(""),
        input_schema: z.unknown().optional(),
      }),
    )
    .default([]),
})
type Body = z.infer<typeof bodySchema>
type Block = z.infer<typeof blockSchema>

const textSchema = z.looseObject({ type: z.literal("text"), text: z.string() })
const callSchema = z.looseObject({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
})
const resultSchema = z.looseObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: contentSchema.default([]),
  is_error: z.boolean().default(false),
})

function readAsked(body: Body): Asked {
  const messages: AskedMessage[] = []
  const system = [textOf(body.system)]
  for (const { role, content } of body.messages) {
    if (role === "system") system.push(textOf(content))
    else if (role === "assistant")
      addMessage(messages, { role, text: textOf(content), calls: callsOf(content) })
    else addUserTurn(messages, content)
  }
  return {
    model: body.model,
    system: system.filter((text) => text !== "").join("\n\n"),
    messages,
    tools: body.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      schema: tool.input_schema ?? null,
    })),
    maxTokens: body.max_tokens,
    stream: body.stream,
  }
}

function complaintAbout(body: Body, asked: Asked): string | null {
  const empty = body.messages.some(({ content }) =>
    content.some((block) => block.type === "text" && block.text === ""),
  )
  if (empty) return "messages: text content blocks must be non-empty"
  if (body.messages[0]?.role !== "user") return "messages: the first message must have the role user"
  return pairingProblem(asked.messages, "next-message")
}

/** Results and text come in one turn; the results are told first. */
function addUserTurn(messages: AskedMessage[], content: readonly Block[]): void {
  const results = content.flatMap((block) => {
    const result = resultSchema.safeParse(block).data
    if (result === undefined) return []
    return [{ callId: result.tool_use_id, text: textOf(result.content), isError: result.is_error }]
  })
  if (results.length > 0) addMessage(messages, { role: "tool", results })
  const rest = content.filter((block) => block.type !== "tool_result")
  if (rest.length > 0) addMessage(messages, { role: "user", text: textOf(rest) })
}

function textOf(content: readonly Block[]): string {
  return content.flatMap((block) => textSchema.safeParse(block).data?.text ?? []).join("\n")
}

function callsOf(content: readonly Block[]) {
  return content.flatMap((block) => {
    const call = callSchema.safeParse(block).data
    return call === undefined ? [] : [{ id: call.id, name: call.name, input: call.input }]
  })
}

function answer(said: Said): unknown {
  return {
    ...message(said),
    content: [
      ...(said.thinking === ""
        ? []
        : [{ type: "thinking", thinking: said.thinking, signature: signature(said) }]),
      ...(said.text === "" ? [] : [{ type: "text", text: said.text }]),
      ...said.calls.map((call, index) => ({ ...toolUse(said, call, index), input: readJson(call.input) })),
    ],
    ...stopped(said),
    usage: usage(said),
  }
}

function events(said: Said): WireEvent[] {
  const blocks: [unknown, unknown[]][] = []
  if (said.thinking !== "") {
    blocks.push([
      { type: "thinking", thinking: "", signature: "" },
      [
        ...pieces(said.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: signature(said) },
      ],
    ])
  }
  if (said.text !== "") {
    blocks.push([{ type: "text", text: "" }, pieces(said.text).map((text) => ({ type: "text_delta", text }))])
  }
  for (const [index, call] of said.calls.entries()) {
    const deltas = ["", ...pieces(call.input)].map((partial_json) => ({
      type: "input_json_delta",
      partial_json,
    }))
    blocks.push([{ ...toolUse(said, call, index), input: {} }, deltas])
  }
  return [
    {
      type: "message_start",
      message: {
        ...message(said),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: usage({ ...said, usage: { ...said.usage, output: 1, thinking: 0 } }),
      },
    },
    { type: "ping" },
    ...blocks.flatMap(([content_block, deltas], index) => [
      { type: "content_block_start", index, content_block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: stopped(said), usage: usage(said) },
    { type: "message_stop" },
  ].map((data) => ({ name: data.type, data }))
}

function message(said: Said) {
  return { id: `msg_${said.id}`, type: "message", role: "assistant", model: said.model }
}

function toolUse(said: Said, call: SaidCall, index: number) {
  return { type: "tool_use", id: call.id ?? `toolu_${said.id}_${index}`, name: call.name }
}

function stopped(said: Said) {
  const reasons = { stop: "end_turn", calls: "tool_use", length: "max_tokens", filtered: "refusal" }
  return { stop_reason: reasons[said.finish], stop_sequence: null }
}

/** Anthropic counts what the cache gave or took apart from the other input. */
function usage({ usage: { input, output, cached, written, thinking } }: Said) {
  return {
    input_tokens: input - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
    ...(thinking > 0 ? { output_tokens_details: { thinking_tokens: thinking } } : {}),
    service_tier: "standard",
  }
}

function signature(said: Said): string {
  return Buffer.from(`signed ${said.id}`).toString("base64")
}
