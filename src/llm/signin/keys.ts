import type { Environment } from "../../config/environment.ts"
import { type KeyedAccount, keyedAccounts } from "./account-ids.ts"
import { type CredentialStore, changeCredentials, readCredentials } from "./credentials.ts"

/** A provider's keys: their variable, their form, and where to get one. */
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

/** A provider's key. The environment takes precedence over a saved one. */
export function findKey(
  env: Pick<Environment, "variable">,
  file: string,
  account: KeyedAccount,
): string | undefined {
  return env.variable(keyKinds[account].variable) ?? readCredentials(file).keys[account]?.key
}

/** Why a text cannot be a provider's key, as a sentence that does not quote it; undefined if it can. */
export function problemWithKey(account: KeyedAccount, key: string): string | undefined {
  const { name, beginning, page, form } = keyKinds[account]
  if (key === "") return `The key is empty; create one at ${page}.`
  if (form.test(key)) return undefined
  if (/^sk-ant-o[ar]t/.test(key))
    return "That is a token of a Claude sign-in, not a key; `reverie login claude` says what to do."
  const other = keyedAccounts.find((one) => keyKinds[one].form.test(key))
  if (other)
    return `That is a key of ${keyKinds[other].name}; run \`reverie login ${other}\`, or take one from ${page}.`
  return `That is not a key of ${name}: those begin with ${beginning} and are longer. Copy it again from ${page}.`
}

export function saveKey(needs: CredentialStore, account: KeyedAccount, key: string): Promise<void> {
  const saved = { key, savedAt: needs.clock.now() }
  return changeCredentials(needs, async (credentials, save) =>
    save({ ...credentials, keys: { ...credentials.keys, [account]: saved } }),
  )
}

/** Removes a saved key; false if there is none. */
export function removeKey(needs: CredentialStore, account: KeyedAccount): Promise<boolean> {
  return changeCredentials(needs, async (credentials, save) => {
    const { [account]: removed, ...keys } = credentials.keys
    if (removed !== undefined) save({ ...credentials, keys })
    return removed !== undefined
  })
}
