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

/** Whose allowance a call by this way draws on. */
export function poolOf(access: AccessId): Pool {
  return poolByAccess[access]
}

/** Whether every call by this way costs money of its own. */
export function isPaid(access: AccessId): boolean {
  return isPaidPool(poolOf(access))
}

/** Whether every call that draws on this pool costs money of its own. */
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

/** What people call a pool. */
export function poolName(pool: Pool): string {
  return poolNames[pool]
}
