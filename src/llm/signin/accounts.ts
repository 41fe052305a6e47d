import { isoTime } from "../../base/clock.ts"
import type { Environment } from "../../config/environment.ts"
import { type KeyedAccount, keyedAccounts } from "./account-ids.ts"
import { type Credentials, readCredentials } from "./credentials.ts"
import { keyKinds } from "./keys.ts"

/** The state of one account. Contains no secret. */
export type AccountState =
  | { id: "chatgpt"; kind: "subscription"; state: "signed-out" }
  | {
      id: "chatgpt"
      kind: "subscription"
      state: "signed-in" | "needs-sign-in"
      email: string | null
      plan: string | null
      accountId: string
      expiresAt: string
      refreshedAt: string
      /** Why a new sign-in is needed. */
      reason: string | null
    }
  /** The user's own program has that sign-in; we never read it. */
  | { id: "claude"; kind: "program"; state: "own-program" }
  | { id: KeyedAccount; kind: "key"; state: "saved"; from: "environment" | "file"; variable: string }
  | { id: KeyedAccount; kind: "key"; state: "missing"; variable: string }

export function listAccounts(env: Pick<Environment, "variable">, file: string): AccountState[] {
  const credentials = readCredentials(file)
  return [
    chatgptState(credentials),
    { id: "claude", kind: "program", state: "own-program" },
    ...keyedAccounts.map((id) => keyState(env, credentials, id)),
  ]
}

function chatgptState({ chatgpt }: Credentials): AccountState {
  if (chatgpt === undefined) return { id: "chatgpt", kind: "subscription", state: "signed-out" }
  const { email, plan, accountId, expiresAt, refreshedAt, needsSignIn, reason } = chatgpt
  return {
    id: "chatgpt",
    kind: "subscription",
    state: needsSignIn ? "needs-sign-in" : "signed-in",
    email,
    plan,
    accountId,
    expiresAt: isoTime(expiresAt),
    refreshedAt: isoTime(refreshedAt),
    reason,
  }
}

function keyState(env: Pick<Environment, "variable">, { keys }: Credentials, id: KeyedAccount): AccountState {
  const { variable } = keyKinds[id]
  if (env.variable(variable) !== undefined)
    return { id, kind: "key", state: "saved", from: "environment", variable }
  if (keys[id]) return { id, kind: "key", state: "saved", from: "file", variable }
  return { id, kind: "key", state: "missing", variable }
}
