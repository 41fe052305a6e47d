import type { OpenAILanguageModelResponsesOptions } from "@ai-sdk/openai"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { ModelAccess } from "../choice/access.ts"
import type { Failure } from "../failure.ts"
import type { KeyedAccount } from "../signin/account-ids.ts"
import { createSdkAccess, type HttpOptions, type Prepared } from "./sdk-access.ts"

/** A key, or why there is none. */
export type KeySource = () => Promise<{ key: string } | Failure>

/** The provider stores nothing: reasoning comes back encrypted and is sent with the next question. */
const openAiOptions = {
  store: false,
  include: ["reasoning.encrypted_content"],
} satisfies OpenAILanguageModelResponsesOptions

interface KeyedProvider {
  name: string
  load(
    settings: { baseURL: string; apiKey: string; fetch: typeof fetch },
    model: string,
  ): Promise<LanguageModelV4>
  differences?: Omit<Prepared, "load">
}

const keyedProviders: Record<KeyedAccount, KeyedProvider> = {
  /** OpenAI's own API (Responses). */
  openai: {
    name: "OpenAI",
    async load(settings, model) {
      const { createOpenAI } = await import("@ai-sdk/openai")
      return createOpenAI(settings).responses(model)
    },
    differences: { options: { providerOptions: { openai: openAiOptions } } },
  },
  /** Anthropic's own API (Messages). The provider caches the prompt from step to step. */
  anthropic: {
    name: "Anthropic",
    async load(settings, model) {
      const { createAnthropic } = await import("@ai-sdk/anthropic")
      return createAnthropic(settings)(model)
    },
    differences: { prompt: { cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } } } },
  },
  /** OpenRouter, which reports the cost of each call. */
  openrouter: {
    name: "OpenRouter",
    async load(settings, model) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
      return createOpenAICompatible({
        ...settings,
        name: "openrouter",
        headers: { "X-Title": "Reverie" },
        includeUsage: true,
        transformRequestBody: (body) => ({ ...body, usage: { include: true } }),
      })(model)
    },
  },
}

/** A provider that is paid by key. */
export function keyedAccess(
  id: KeyedAccount,
  http: HttpOptions,
  baseURL: string,
  keyOf: KeySource,
): ModelAccess {
  const { name, load, differences } = keyedProviders[id]
  return createSdkAccess({
    ...http,
    id,
    name,
    async prepare({ model }) {
      const got = await keyOf()
      if (!("key" in got)) return got
      return { load: () => load({ baseURL, apiKey: got.key, fetch: http.fetch }, model), ...differences }
    },
  })
}

/** The tokens of a ChatGPT sign-in for one call. */
export interface SignIn {
  accessToken: string
  accountId: string
}

/** The backend that Codex uses, with the user's ChatGPT subscription. It streams only and accepts no output limit. */
export function chatGptAccess(
  http: HttpOptions,
  baseURL: string,
  signIn: () => Promise<SignIn | Failure>,
): ModelAccess {
  return createSdkAccess({
    ...http,
    id: "chatgpt",
    name: "ChatGPT",
    async prepare({ model, system }) {
      const got = await signIn()
      if (!("accessToken" in got)) return got
      const headers = { "chatgpt-account-id": got.accountId, originator: "reverie" }
      return {
        async load() {
          const { createOpenAI } = await import("@ai-sdk/openai")
          const settings = { baseURL, apiKey: got.accessToken, headers, fetch: http.fetch }
          return createOpenAI(settings).responses(model)
        },
        prompt: { leaveOutSystem: true, noOutputLimit: true },
        options: { providerOptions: { openai: { ...openAiOptions, instructions: system } } },
      }
    },
  })
}

/** The user's own server, with an API like OpenAI's chat completions. */
export function localAccess(http: HttpOptions, baseURL: string, key: string | undefined): ModelAccess {
  return createSdkAccess({
    ...http,
    id: "local",
    name: `The server at ${baseURL}`,
    prepare: async ({ model }) => ({
      async load() {
        const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
        return createOpenAICompatible({
          name: "local",
          baseURL,
          ...(key === undefined ? {} : { apiKey: key }),
          fetch: http.fetch,
          includeUsage: true,
        })(model)
      },
    }),
  })
}
