import { z } from "zod"
import { type Asked, type AskedMessage, addMessage, readJson } from "./asked.ts"
import { openAiFailure } from "./openai-failure.ts"
import { pairingProblem } from "./pairing.ts"
import type { Said, SaidCall } from "./said.ts"
import type { FailStep } from "./step.ts"
import { type Exchange, pieces, type WireEvent, type WireFormat } from "./wire-format.ts"

/** OpenAI's Chat Completions API, as llama.cpp, Ollama and others speak it too. */
export const chatFormat: WireFormat = {
  id: "chat",
  open(request) {
    const body = bodySchema.parse(request)
    return {
      ...readExchange(body),
      answer: (said) => answer(said, "reasoning_content"),
      events: (said) => events(said, "reasoning_content", body.stream_options?.include_usage === true),
    }
  },
  refuse(failing, asked) {
    const { status, error } = openAiFailure(failing, asked)
    return { status, body: { error }, event: { data: { error } } }
  },
  headers: (requestId) => ({ "x-request-id": `req_${requestId}` }),
}

/** The same with the ways of OpenRouter: comments while it waits, cost in the usage, errors of its own. */
export const openRouterFormat: WireFormat = {
  ...chatFormat,
  open(request) {
    return {
      ...readExchange(bodySchema.parse(request)),
      answer: (said) => answer(said, "reasoning"),
      events: (said) =>
        events(said, "reasoning", true).map((event, index) =>
          index === 0 ? { ...event, comment: "OPENROUTER PROCESSING" } : event,
        ),
    }
  },
  refuse(failing, asked) {
    const error = openRouterError(failing, asked)
    const choices = [{ index: 0, delta: { content: "" }, finish_reason: "error" }]
    return { status: error.code, body: { error }, event: { data: { ...chunkHead, error, choices } } }
  },
}

const contentSchema = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
])
const callSchema = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
})
const messageSchema = z.discriminatedUnion("role", [
  z.looseObject({ role: z.enum(["system", "developer", "user"]), content: contentSchema }),
  z.looseObject({
    role: z.literal("assistant"),
    content: contentSchema.nullish(),
    tool_calls: z.array(callSchema).nullish(),
  }),
  z.looseObject({ role: z.literal("tool"), tool_call_id: z.string(), content: contentSchema }),
])
const bodySchema = z.looseObject({
  model: z.string(),
  messages: z.array(messageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  tools: z
    .array(
      z.looseObject({
        function: z.looseObject({
          name: z.string(),
          description: z.string().default(""),
          parameters: z.unknown().optional(),
        }),
      }),
    )
    .nullish(),
})
type Body = z.infer<typeof bodySchema>

function readExchange(body: Body): Pick<Exchange, "asked" | "complaint"> {
  const asked = readAsked(body)
  return { asked, complaint: pairingProblem(asked.messages, "next-message") }
}

function readAsked(body: Body): Asked {
  const system: string[] = []
  const messages: AskedMessage[] = []
  for (const message of body.messages) {
    const text = textOf(message.content ?? "")
    if (message.role === "user") addMessage(messages, { role: "user", text })
    else if (message.role === "assistant") {
      const calls = (message.tool_calls ?? []).map((call) => ({
        id: call.id,
        name: call.function.name,
        input: readJson(call.function.arguments),
      }))
      addMessage(messages, { role: "assistant", text, calls })
    } else if (message.role === "tool") {
      addMessage(messages, {
        role: "tool",
        results: [{ callId: message.tool_call_id, text, isError: false }],
      })
    } else system.push(text)
  }
  return {
    model: body.model,
    system: system.join("\n\n"),
    messages,
    tools: (body.tools ?? []).map(({ function: tool }) => ({
      name: tool.name,
      description: tool.description,
      schema: tool.parameters ?? null,
    })),
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
    stream: body.stream ?? false,
  }
}

function textOf(content: z.infer<typeof contentSchema>): string {
  if (typeof content === "string") return content
  return content.flatMap((part) => part.text ?? []).join("\n")
}

/** Servers do not agree on the field that thoughts come in. */
type ThoughtField = "reasoning_content" | "reasoning"

function answer(said: Said, thoughtField: ThoughtField): unknown {
  const calls = said.calls.map((call, index) => toolCall(said, call, index))
  return {
    id: `chatcmpl-${said.id}`,
    object: "chat.completion",
    created: said.createdAt,
    model: said.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: said.text === "" ? null : said.text,
          refusal: null,
          ...(said.thinking === "" ? {} : { [thoughtField]: said.thinking }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finishReason(said),
      },
    ],
    usage: usage(said),
    system_fingerprint: "fp_scripted",
  }
}

const chunkHead = { object: "chat.completion.chunk", system_fingerprint: "fp_scripted" }

function events(said: Said, thoughtField: ThoughtField, tellUsage: boolean): WireEvent[] {
  const head = { id: `chatcmpl-${said.id}`, ...chunkHead, created: said.createdAt, model: said.model }
  const deltas = [
    { role: "assistant", content: "" },
    ...pieces(said.thinking).map((piece) => ({ [thoughtField]: piece })),
    ...pieces(said.text).map((content) => ({ content })),
    ...said.calls.flatMap((call, index) => {
      const first = toolCall(said, call, index)
      const opening = { index, ...first, function: { name: call.name, arguments: "" } }
      const rest = pieces(call.input).map((piece) => ({ index, function: { arguments: piece } }))
      return [opening, ...rest].map((part) => ({ tool_calls: [part] }))
    }),
  ]
  const chunks: unknown[] = deltas.map((delta) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
  }))
  const last = { index: 0, delta: {}, logprobs: null, finish_reason: finishReason(said) }
  chunks.push({ ...head, choices: [last] })
  if (tellUsage) chunks.push({ ...head, choices: [], usage: usage(said) })
  return [...chunks, "[DONE]"].map((data) => ({ data }))
}

function toolCall(said: Said, call: SaidCall, index: number) {
  return {
    id: call.id ?? `call_${said.id}_${index}`,
    type: "function",
    function: { name: call.name, arguments: call.input },
  }
}

function finishReason(said: Said): string {
  return { stop: "stop", calls: "tool_calls", length: "length", filtered: "content_filter" }[said.finish]
}

function usage({ usage: { input, output, cached, thinking, costUsd } }: Said) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thinking },
    ...(costUsd === null ? {} : { cost: costUsd, cost_details: { upstream_inference_cost: null } }),
  }
}

/** OpenRouter repeats the status as the code, and has words of its own for some. */
function openRouterError(failing: FailStep, asked: Asked | null) {
  const { status, error } = openAiFailure(failing, asked)
  const code = failing.fail === "no-credit" ? 402 : status
  const words: Record<number, string> = {
    401: "User not found.",
    402: "Insufficient credits. Add more using https://openrouter.ai/settings/credits",
    404: `No endpoints found for ${asked?.model}.`,
  }
  return { code, message: failing.message ?? words[code] ?? error.message }
}
