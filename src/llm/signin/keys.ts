import type { Environment } from "../../config/environment.ts"
import { type KeyedAccount, keyedAccounts } from "./account-ids.ts"
import { type CredentialNeeds, changeCredentials, readCredentials } from "./credentials.ts"

/** What is known of a provider's keys: the variable others know too, the form, and where one gets them. */
interface KeyKind {
  name: string
  variable: string
  form: RegExp
  beginning: string
  page: string
}

export const keyKinds: Record<KeyedAccount, KeyKind> = {
  openai: {
    name: "OpenAI",
    variable: "OPENAI_API_KEY",
    form: /^sk-(?!ant-|or-)[\w-]{20,}$/,
    beginning: "sk-",
    page: "platform.openai.com/api-keys",
  },
  anthropic: {
    name: "Anthropic",
    variable: "ANTHROPIC_API_KEY",
    form: /^sk-ant-(?!o[ar]t)[\w-]{20,}$/,
    beginning: "sk-ant-",
    page: "console.anthropic.com",
  },
  openrouter: {
    name: "OpenRouter",
    variable: "OPENROUTER_API_KEY",
    form: /^sk-or-[\w-]{20,}$/,
    beginning: "sk-or-",
    page: "openrouter.ai/keys",
  },
}

/** The key of a provider: the environment wins over what was saved. */
export function findKey(
  env: Pick<Environment, "variable">,
  file: string,
  account: KeyedAccount,
): string | undefined {
  return env.variable(keyKinds[account].variable) ?? readCredentials(file).keys[account]?.key
}

/** Why a text cannot be a provider's key, in a sentence that does not quote it; undefined if it can. */
export function problemWithKey(account: KeyedAccount, key: string): string | undefined {
  const { name, beginning, page, form } = keyKinds[account]
  if (key === "") return `There is no key; one is made at ${page}.`
  if (form.test(key)) return undefined
  if (/^sk-ant-o[ar]t/.test(key))
    return "That is a token of a Claude sign-in and no key; `reverie login claude` says what to do."
  const other = keyedAccounts.find((one) => keyKinds[one].form.test(key))
  if (other)
    return `That is a key of ${keyKinds[other].name}; run \`reverie login ${other}\`, or take one from ${page}.`
  return `That is no key of ${name}, which begins with ${beginning} and is longer; copy it again from ${page}.`
}

/** Keeps a key. */
export function saveKey(needs: CredentialNeeds, account: KeyedAccount, key: string): Promise<void> {
  const saved = { key, savedAt: needs.clock.now() }
  return changeCredentials(needs, async (credentials, keep) =>
    keep({ ...credentials, keys: { ...credentials.keys, [account]: saved } }),
  )
}

/** Removes a saved key; false if there was none. */
export function removeKey(needs: CredentialNeeds, account: KeyedAccount): Promise<boolean> {
  return changeCredentials(needs, async (credentials, keep) => {
    const { [account]: removed, ...keys } = credentials.keys
    if (removed !== undefined) keep({ ...credentials, keys })
    return removed !== undefined
  })
}
