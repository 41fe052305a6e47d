import { mayCarryKey, problemWithAddress } from "../../base/net/web-address.ts"
import type { Environment } from "../../config/environment.ts"
import type { Config } from "../../config/schema.ts"

/** Where a way over HTTP leads. */
export interface Address {
  url: string
  /** Why nothing may be sent there, in a sentence; undefined if it may. */
  problem: string | undefined
}

/** Where the providers answer, unless the variables their own programs know say otherwise. */
const providers = {
  openai: { variable: "OPENAI_BASE_URL", url: "https://api.openai.com/v1" },
  anthropic: { variable: "ANTHROPIC_BASE_URL", url: "https://api.anthropic.com" },
  openrouter: { variable: "OPENROUTER_BASE_URL", url: "https://openrouter.ai/api/v1" },
  chatgpt: { variable: "REVERIE_CHATGPT_URL", url: "https://chatgpt.com/backend-api/codex" },
} as const

/** Where a provider is asked; a key or sign-in always goes along. */
export function providerAddress(env: Environment, id: keyof typeof providers): Address {
  const { variable, url } = providers[id]
  const address = (env.variable(variable) ?? url).replace(/\/+$/, "")
  // Anthropic's own programs take the address without the version.
  const whole = id === "anthropic" && !address.endsWith("/v1") ? `${address}/v1` : address
  return { url: whole, problem: problemWith(variable, whole, true) }
}

/** Where the user's own server is asked. */
export function localAddress({ models }: Pick<Config, "models">, key: string | undefined): Address {
  const { local_url: url } = models
  return { url, problem: url === "" ? undefined : problemWith("models.local_url", url, key !== undefined) }
}

function problemWith(setting: string, url: string, hasKey: boolean): string | undefined {
  const problem = problemWithAddress(url)
  if (problem !== undefined) return `${setting} ${problem}; correct it.`
  if (!hasKey || mayCarryKey(url)) return undefined
  return `${setting} is http on another machine, where others could read the key; use https.`
}
