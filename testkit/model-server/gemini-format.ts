import { z } from "zod"
import { type Asked, type AskedMessage, addMessage, readJson } from "./asked.ts"
import type { Said } from "./said.ts"
import type { FailStep } from "./step.ts"
import { pieces, type WireFormat } from "./wire-format.ts"

const route = /^\/v1(?:beta)?\/models\/([^:]+):(streamGenerateContent|generateContent)$/

/** Google's generateContent, whose path names the model and whether it streams; undefined for other paths. */
export function geminiFormat(path: string): WireFormat | undefined {
  const [, model, method] = route.exec(path) ?? []
  if (model === undefined) return undefined
  const isStream = method === "streamGenerateContent"
  return {
    id: "gemini",
    open: (body) => ({
      asked: readAsked(bodySchema.parse(body), model, isStream),
      complaint: null,
      answer: (said) => answer(said, partsOf(said), true),
      events: (said) => events(said).map((data) => ({ data })),
    }),
    refuse: (failing) => refuse(failing),
    headers: (requestId) => ({ "x-request-id": requestId }),
  }
}

const partSchema = z.looseObject({
  text: z.string().optional(),
  functionCall: z.looseObject({ id: z.string().optional(), name: z.string(), args: z.unknown() }).optional(),
  functionResponse: z
    .looseObject({ id: z.string().optional(), name: z.string(), response: z.unknown() })
    .optional(),
})
type Part = z.infer<typeof partSchema>
const contentSchema = z.looseObject({ role: z.string().optional(), parts: z.array(partSchema).default([]) })
const bodySchema = z.looseObject({
  contents: z.array(contentSchema).min(1),
  systemInstruction: contentSchema.optional(),
  generationConfig: z.looseObject({ maxOutputTokens: z.number().optional() }).optional(),
  tools: z
    .array(
      z.looseObject({
        functionDeclarations: z
          .array(
            z.looseObject({
              name: z.string(),
              description: z.string().default(""),
              parametersJsonSchema: z.unknown().optional(),
            }),
          )
          .default([]),
      }),
    )
    .optional(),
})

function readAsked(body: z.infer<typeof bodySchema>, model: string, stream: boolean): Asked {
  const messages: AskedMessage[] = []
  for (const { role, parts } of body.contents) {
    for (const message of messagesOf(role ?? "user", parts)) addMessage(messages, message)
  }
  return {
    model,
    system: textOf(body.systemInstruction?.parts ?? []),
    messages,
    tools: (body.tools ?? []).flatMap(({ functionDeclarations }) =>
      functionDeclarations.map(({ name, description, parametersJsonSchema }) => ({
        name,
        description,
        schema: parametersJsonSchema ?? null,
      })),
    ),
    maxTokens: body.generationConfig?.maxOutputTokens ?? null,
    stream,
  }
}

function messagesOf(role: string, parts: readonly Part[]): AskedMessage[] {
  const text = textOf(parts)
  const calls = parts.flatMap(({ functionCall }) =>
    functionCall
      ? [{ id: functionCall.id ?? functionCall.name, name: functionCall.name, input: functionCall.args }]
      : [],
  )
  const results = parts.flatMap(({ functionResponse: given }) =>
    given ? [{ callId: given.id ?? given.name, text: JSON.stringify(given.response), isError: false }] : [],
  )
  if (role === "model") return [{ role: "assistant", text, calls }]
  return [
    ...(results.length > 0 ? [{ role: "tool" as const, results }] : []),
    ...(text === "" ? [] : [{ role: "user" as const, text }]),
  ]
}

function textOf(parts: readonly Part[]): string {
  return parts.flatMap(({ text }) => text ?? []).join("\n")
}

type AnswerPart = { text: string } | { functionCall: { id: string; name: string; args: unknown } }

function partsOf(said: Said): AnswerPart[] {
  const calls = said.calls.map(({ id, name, input }, index) => ({
    functionCall: { id: id ?? `call_${said.id}_${index}`, name, args: readJson(input) },
  }))
  return [...(said.text === "" ? [] : [{ text: said.text }]), ...calls]
}

function events(said: Said): unknown[] {
  const texts = pieces(said.text).map((text) => ({ text }))
  const calls = partsOf(said).filter((part) => "functionCall" in part)
  return [...[...texts, ...calls].map((part) => answer(said, [part], false)), answer(said, [], true)]
}

function answer(said: Said, parts: readonly AnswerPart[], isLast: boolean): unknown {
  const { input, output, cached, thinking } = said.usage
  const reasons = { stop: "STOP", calls: "STOP", length: "MAX_TOKENS", filtered: "SAFETY" }
  const content = { role: "model", parts: parts.length === 0 ? [{ text: "" }] : parts }
  return {
    candidates: [{ index: 0, content, ...(isLast ? { finishReason: reasons[said.finish] } : {}) }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
      cachedContentTokenCount: cached,
      thoughtsTokenCount: thinking,
    },
    modelVersion: said.model,
    responseId: said.id,
  }
}

function refuse({ fail, message }: FailStep) {
  const status = typeof fail === "number" ? fail : 400
  const words: Record<number, string> = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    429: "RESOURCE_EXHAUSTED",
  }
  const error = { code: status, message: message ?? "Refused.", status: words[status] ?? "INTERNAL" }
  return { status, body: { error }, event: { data: { error } } }
}
