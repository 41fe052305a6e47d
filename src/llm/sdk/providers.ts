import type { OpenAILanguageModelResponsesOptions } from "@ai-sdk/openai"
import type { Clock } from "../../base/clock.ts"
import type { ModelAccess } from "../choice/access.ts"
import type { Failure } from "../failure.ts"
import { createSdkAccess } from "./sdk-access.ts"

/** What every HTTP access needs. */
export interface HttpNeeds {
  clock: Clock
  fetch: typeof fetch
  silenceMs: number
}

/** A key, or why there is none. */
export type KeySource = () => Promise<{ key: string } | Failure>

/** Nothing is kept at the provider: thoughts come back encrypted and go along with the next question. */
const openAiOptions = {
  store: false,
  include: ["reasoning.encrypted_content"],
} satisfies OpenAILanguageModelResponsesOptions

/** OpenAI's own API (Responses), paid by key. */
export function openAiAccess(needs: HttpNeeds, baseURL: string, keyOf: KeySource): ModelAccess {
  return createSdkAccess({
    ...needs,
    id: "openai",
    name: "OpenAI",
    async prepare({ model }) {
      const got = await keyOf()
      if (!("key" in got)) return got
      return {
        async load() {
          const { createOpenAI } = await import("@ai-sdk/openai")
          return createOpenAI({ baseURL, apiKey: got.key, fetch: needs.fetch }).responses(model)
        },
        options: { providerOptions: { openai: openAiOptions } },
      }
    },
  })
}

/** What a ChatGPT sign-in gives for one call. */
export interface SignIn {
  accessToken: string
  accountId: string
}

/** The backend that Codex uses, with the user's ChatGPT subscription. It streams only and wants no output limit. */
export function chatGptAccess(
  needs: HttpNeeds,
  baseURL: string,
  signIn: () => Promise<SignIn | Failure>,
): ModelAccess {
  return createSdkAccess({
    ...needs,
    id: "chatgpt",
    name: "ChatGPT",
    async prepare({ model, system }) {
      const got = await signIn()
      if (!("accessToken" in got)) return got
      const headers = { "chatgpt-account-id": got.accountId, originator: "reverie" }
      return {
        async load() {
          const { createOpenAI } = await import("@ai-sdk/openai")
          const settings = { baseURL, apiKey: got.accessToken, headers, fetch: needs.fetch }
          return createOpenAI(settings).responses(model)
        },
        wishes: { leaveOutSystem: true, noOutputLimit: true },
        options: { providerOptions: { openai: { ...openAiOptions, instructions: system } } },
      }
    },
  })
}

/** Anthropic's own API (Messages), paid by key. The prompt is kept at the provider from step to step. */
export function anthropicAccess(needs: HttpNeeds, baseURL: string, keyOf: KeySource): ModelAccess {
  return createSdkAccess({
    ...needs,
    id: "anthropic",
    name: "Anthropic",
    async prepare({ model }) {
      const got = await keyOf()
      if (!("key" in got)) return got
      return {
        async load() {
          const { createAnthropic } = await import("@ai-sdk/anthropic")
          return createAnthropic({ baseURL, apiKey: got.key, fetch: needs.fetch })(model)
        },
        wishes: { cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } } },
      }
    },
  })
}

/** OpenRouter, paid by key; it tells what each call cost. */
export function openRouterAccess(needs: HttpNeeds, baseURL: string, keyOf: KeySource): ModelAccess {
  return createSdkAccess({
    ...needs,
    id: "openrouter",
    name: "OpenRouter",
    async prepare({ model }) {
      const got = await keyOf()
      if (!("key" in got)) return got
      return {
        async load() {
          const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
          const provider = createOpenAICompatible({
            name: "openrouter",
            baseURL,
            apiKey: got.key,
            headers: { "X-Title": "Reverie" },
            fetch: needs.fetch,
            includeUsage: true,
            transformRequestBody: (body) => ({ ...body, usage: { include: true } }),
          })
          return provider(model)
        },
      }
    },
  })
}

/** A server of the user's own that answers like OpenAI's chat completions. */
export function localAccess(needs: HttpNeeds, baseURL: string, key: string | undefined): ModelAccess {
  return createSdkAccess({
    ...needs,
    id: "local",
    name: `The server at ${baseURL}`,
    async prepare({ model }) {
      return {
        async load() {
          const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
          const provider = createOpenAICompatible({
            name: "local",
            baseURL,
            ...(key === undefined ? {} : { apiKey: key }),
            fetch: needs.fetch,
            includeUsage: true,
          })
          return provider(model)
        },
      }
    },
  })
}
