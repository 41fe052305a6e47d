import { z } from "zod"
import { openAiFailure } from "./openai-failure.ts"
import { pairingProblem } from "./pairing.ts"
import { type ResponsesBody, readResponsesAsked, responsesBodySchema } from "./responses-asked.ts"
import type { Said, SaidCall } from "./said.ts"
import { pieces, type WireEvent, type WireFormat } from "./wire-format.ts"

/** OpenAI's Responses API, which Codex and the back end of ChatGPT plans speak too. */
export const responsesFormat: WireFormat = {
  id: "responses",
  open(request) {
    const body = responsesBodySchema.parse(request)
    const asked = readResponsesAsked(body)
    return {
      asked,
      complaint: body.previous_response_id ? null : pairingProblem(asked.messages, "anywhere-after"),
      answer: (said) => finished(said, body),
      events: (said) => events(said, body),
    }
  },
  refuse(failing, asked) {
    const { status, error } = openAiFailure(failing, asked)
    const { code, message, type } = error
    const response = {
      object: "response",
      status: "failed",
      error: { code: code ?? type, message },
      output: [],
    }
    const data = { type: "response.failed", sequence_number: 1000, response }
    return { status, body: { error }, event: { name: data.type, data } }
  },
  headers: (requestId) => ({
    "x-request-id": `req_${requestId}`,
    "openai-version": "2020-10-01",
    "openai-processing-ms": "12",
  }),
}

function events(said: Said, body: ResponsesBody): WireEvent[] {
  const begun = { ...response(said, body), status: "in_progress", output: [], usage: null }
  const end = finished(said, body)
  const list: Typed[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...items(said, body).flatMap((item, output_index) =>
      itemEvents(item).map((event) => ({ ...event, output_index })),
    ),
    { type: `response.${end.status}`, response: end },
  ]
  return list.map((event, sequence_number) => ({ name: event.type, data: { ...event, sequence_number } }))
}

function finished(said: Said, body: ResponsesBody) {
  const reasons = { length: "max_output_tokens", filtered: "content_filter", stop: null, calls: null }
  const reason = reasons[said.finish]
  return {
    ...response(said, body),
    status: reason === null ? "completed" : "incomplete",
    incomplete_details: reason === null ? null : { reason },
    output: items(said, body).map((item) => item.done),
    usage: usage(said),
  }
}

function response(said: Said, body: ResponsesBody) {
  return {
    id: `resp_${said.id}`,
    object: "response",
    created_at: said.createdAt,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: {},
    model: said.model,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: "default",
    store: body.store ?? true,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    top_p: 1,
    truncation: "disabled",
    user: null,
  }
}

function usage({ usage: { input, output, cached, thinking } }: Said) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: thinking },
    total_tokens: input + output,
  }
}

/** Anything with a type: an event or an item. */
interface Typed {
  type: string
  [field: string]: unknown
}

/** One item of the output: as it is announced, as it is complete, and the events between. */
interface Item {
  added: Typed
  done: Typed
  between: Typed[]
}

function itemEvents({ added, done, between }: Item): Typed[] {
  return [
    { type: "response.output_item.added", item: added },
    ...between.map((event) => ({ ...event, item_id: done.id })),
    { type: "response.output_item.done", item: done },
  ]
}

function items(said: Said, body: ResponsesBody): Item[] {
  return [
    ...(said.thinking === "" ? [] : [reasoningItem(said, body)]),
    ...(said.text === "" ? [] : [messageItem(said)]),
    ...said.calls.map((call, index) => callItem(said, call, index, body)),
  ]
}

function reasoningItem(said: Said, body: ResponsesBody): Item {
  const sealed = body.include?.includes("reasoning.encrypted_content")
    ? { encrypted_content: Buffer.from(`sealed ${said.id}`).toString("base64") }
    : {}
  const head = { id: `rs_${said.id}`, type: "reasoning", ...sealed }
  const part = (text: string) => ({ type: "summary_text", text })
  const at = { summary_index: 0 }
  return {
    added: { ...head, summary: [] },
    done: { ...head, summary: [part(said.thinking)] },
    between: [
      { type: "response.reasoning_summary_part.added", ...at, part: part("") },
      ...pieces(said.thinking).map((delta) => ({
        type: "response.reasoning_summary_text.delta",
        ...at,
        delta,
      })),
      { type: "response.reasoning_summary_text.done", ...at, text: said.thinking },
      { type: "response.reasoning_summary_part.done", ...at, part: part(said.thinking) },
    ],
  }
}

function messageItem(said: Said): Item {
  const head = { id: `msg_${said.id}`, type: "message", role: "assistant" }
  const part = (text: string) => ({ type: "output_text", annotations: [], logprobs: [], text })
  const at = { content_index: 0 }
  return {
    added: { ...head, status: "in_progress", content: [] },
    done: { ...head, status: "completed", content: [part(said.text)] },
    between: [
      { type: "response.content_part.added", ...at, part: part("") },
      ...pieces(said.text).map((delta) => ({
        type: "response.output_text.delta",
        ...at,
        delta,
        logprobs: [],
      })),
      { type: "response.output_text.done", ...at, text: said.text, logprobs: [] },
      { type: "response.content_part.done", ...at, part: part(said.text) },
    ],
  }
}

/** A call, as the kind of tool wants it: functions take JSON, custom tools plain text, some live in a namespace. */
function callItem(said: Said, call: SaidCall, index: number, body: ResponsesBody): Item {
  const tool = findTool(body, call.name)
  const id = `${said.id}_${index}`
  const head = { call_id: call.id ?? `call_${id}`, ...tool.place }
  if (tool.kind === "custom") {
    const at = { id: `ctc_${id}`, type: "custom_tool_call", ...head }
    return {
      added: { ...at, status: "in_progress", input: "" },
      done: { ...at, status: "completed", input: call.input },
      between: [
        ...pieces(call.input).map((delta) => ({ type: "response.custom_tool_call_input.delta", delta })),
        { type: "response.custom_tool_call_input.done", input: call.input },
      ],
    }
  }
  const at = { id: `fc_${id}`, type: "function_call", ...head }
  return {
    added: { ...at, status: "in_progress", arguments: "" },
    done: { ...at, status: "completed", arguments: call.input },
    between: [
      ...pieces(call.input).map((delta) => ({ type: "response.function_call_arguments.delta", delta })),
      { type: "response.function_call_arguments.done", arguments: call.input },
    ],
  }
}

const namespaceSchema = z.looseObject({
  type: z.literal("namespace"),
  name: z.string(),
  tools: z.array(z.looseObject({ name: z.string() })),
})

/** Tools in a namespace may be named with it (`space__tool`) or without. */
function findTool(body: ResponsesBody, name: string): { kind: string; place: Record<string, string> } {
  const tools = body.tools ?? []
  for (const tool of tools) {
    const space = namespaceSchema.safeParse(tool).data
    const inner = space?.tools.find((each) => each.name === name || `${space.name}__${each.name}` === name)
    if (space !== undefined && inner !== undefined) {
      return { kind: "function", place: { name: inner.name, namespace: space.name } }
    }
  }
  return { kind: tools.find((tool) => tool.name === name)?.type ?? "function", place: { name } }
}
