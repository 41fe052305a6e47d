import { UserError } from "../../base/errors.ts"
import { escapeControls } from "../../base/text/text.ts"
import type { ChatPlatform } from "../../chat/channels/platforms.ts"
import type { MediaKeyName } from "../../chat/media/keyed-media.ts"
import type { AccountId } from "../../llm/signin/account-ids.ts"
import type { AccountState } from "../../llm/signin/accounts.ts"
import type { ChatgptClient } from "../../llm/signin/chatgpt.ts"
import { withClient } from "./api-command.ts"
import { withCommandName } from "./command-name.ts"
import type { CliNeeds } from "./needs.ts"
import { table } from "./output.ts"

/** The client for signing in and out with ChatGPT. */
export async function chatgptNeeds({ clock, random, env, paths }: CliNeeds): Promise<ChatgptClient> {
  const { issuerOf } = await import("../../llm/signin/issuer.ts")
  const issuer = issuerOf(env.openaiIssuer)
  return { clock, random, fetch, issuer, credentialsFile: paths.credentialsFile }
}

/** Writes the journal entry. If the database cannot be reached, the sign-in stays. */
export async function noteChange(
  needs: CliNeeds,
  account: AccountId | ChatPlatform | MediaKeyName,
  change: "saved" | "removed",
): Promise<void> {
  try {
    await withClient(needs, (client) => client.noteCredential({ account, change }))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    needs.output.say(`The journal entry could not be written: ${error.message}`)
  }
}

/** Shows the state of each account. */
export async function showAccounts(needs: CliNeeds, options: { json?: boolean }): Promise<void> {
  const { listAccounts } = await import("../../llm/signin/accounts.ts")
  const accounts = listAccounts(needs.env, needs.paths.credentialsFile)
  if (options.json) needs.output.json({ schemaVersion: 1, accounts })
  else {
    const named = (text: string) => withCommandName(text, needs.env.command)
    needs.output.data(table(accounts.map((account) => [account.id, ...describe(account).map(named)])))
  }
}

function describe(account: AccountState): string[] {
  if (account.kind === "program") return ["your own program", "start `claude` and use /login there"]
  if (account.kind === "key") return describeKey(account)
  if (account.state === "signed-out") return ["not signed in", "`reverie login chatgpt`"]
  const { email, plan, reason } = account
  if (account.state === "signed-in") return ["signed in", whose(email, plan).trim()]
  return ["sign in again", `\`reverie login chatgpt\`${reason ? ` (${reason})` : ""}`]
}

function describeKey(account: Extract<AccountState, { kind: "key" }>): string[] {
  if (account.state === "missing")
    return ["no key", `\`reverie login ${account.id}\`, or set ${account.variable}`]
  return ["key", account.from === "environment" ? `from ${account.variable}` : "saved here"]
}

/** " as ADDRESS (plan)", as far as known. */
export function whose(email: string | null, plan: string | null): string {
  return escapeControls(`${email ? ` as ${email}` : ""}${plan ? ` (${plan})` : ""}`)
}
