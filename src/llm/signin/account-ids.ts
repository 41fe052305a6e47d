/** Providers that are asked with a key. */
export const keyedAccounts = ["openai", "anthropic", "openrouter"] as const
export type KeyedAccount = (typeof keyedAccounts)[number]

/** Everything that `reverie login` knows. */
export const accountIds = ["chatgpt", "claude", ...keyedAccounts] as const
export type AccountId = (typeof accountIds)[number]
