import type { AccessId } from "../choice/access.ts"
import type { Pool } from "./limit-reading.ts"

const poolByAccess: Record<AccessId, Pool> = {
  chatgpt: "openai-subscription",
  codex: "openai-subscription",
  claude: "anthropic-subscription",
  openai: "openai-key",
  anthropic: "anthropic-key",
  openrouter: "openrouter-key",
  local: "local",
}

/** The pool whose quota calls by this access use. */
export function poolOf(access: AccessId): Pool {
  return poolByAccess[access]
}

/** Whether every call by this access costs money. */
export function isPaid(access: AccessId): boolean {
  return isPaidPool(poolOf(access))
}

/** Whether every call that uses this pool costs money. */
export function isPaidPool(pool: Pool): boolean {
  return pool.endsWith("-key")
}

const poolNames: Record<Pool, string> = {
  "openai-subscription": "ChatGPT subscription",
  "anthropic-subscription": "Claude subscription",
  "openai-key": "OpenAI key",
  "anthropic-key": "Anthropic key",
  "openrouter-key": "OpenRouter key",
  local: "local server",
  other: "other providers",
}

/** A pool's name for people. */
export function poolName(pool: Pool): string {
  return poolNames[pool]
}
