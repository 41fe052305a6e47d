import { isSafeForKeys, problemWithAddress } from "../../base/net/web-address.ts"
import type { Environment } from "../../config/environment.ts"
import type { Config } from "../../config/schema.ts"

/** The address of an access over HTTP. */
export interface Address {
  url: string
  /** Why nothing may be sent there, as a sentence; undefined if it may. */
  problem: string | undefined
}

/** The providers' addresses. The variables of their own programs override them. */
const providers = {
  openai: { variable: "OPENAI_BASE_URL", url: "https://api.openai.com/v1" },
  anthropic: { variable: "ANTHROPIC_BASE_URL", url: "https://api.anthropic.com" },
  openrouter: { variable: "OPENROUTER_BASE_URL", url: "https://openrouter.ai/api/v1" },
  chatgpt: { variable: "REVERIE_CHATGPT_URL", url: "https://chatgpt.com/backend-api/codex" },
} as const

/** A provider's address. Requests to it always carry a key or sign-in. */
export function providerAddress(env: Environment, id: keyof typeof providers): Address {
  const { variable, url } = providers[id]
  const address = (env.variable(variable) ?? url).replace(/\/+$/, "")
  // Anthropic's own programs expect the address without the version.
  const whole = id === "anthropic" && !address.endsWith("/v1") ? `${address}/v1` : address
  return { url: whole, problem: problemWith(variable, whole, true) }
}

/** The address of the user's own server. */
export function localAddress({ models }: Pick<Config, "models">, key: string | undefined): Address {
  const { local_url: url } = models
  return { url, problem: url === "" ? undefined : problemWith("models.local_url", url, key !== undefined) }
}

function problemWith(setting: string, url: string, hasKey: boolean): string | undefined {
  const problem = problemWithAddress(url)
  if (problem !== undefined) return `${setting} ${problem}; correct it.`
  if (!hasKey || isSafeForKeys(url)) return undefined
  return `${setting} is http on another machine, where the key could be intercepted; use https.`
}
