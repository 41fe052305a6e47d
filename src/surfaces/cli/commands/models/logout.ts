import { Argument, type Command } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { type AccountId, accountIds, type KeyedAccount } from "../../../../llm/signin/account-ids.ts"
import { chatgptNeeds, noteChange, showAccounts } from "../../accounts.ts"
import type { CliNeeds } from "../../needs.ts"

/** `reverie logout` */
export function logoutCommand(program: Command, needs: CliNeeds): void {
  program
    .command("logout")
    .description("remove a sign-in or a key from this installation")
    .addArgument(new Argument("<account>", "what to sign out of").choices(accountIds))
    .option("--json", "print JSON")
    .action(async (account: AccountId, options: { json?: boolean }) => {
      await logout(needs, account)
      if (options.json) await showAccounts(needs, options)
    })
}

async function logout(needs: CliNeeds, account: AccountId): Promise<void> {
  if (account === "claude") {
    const advice = "start `claude` and use /logout there."
    throw new UserError("usage", `Reverie stores no sign-in for Claude; ${advice}`)
  }
  const removed = account === "chatgpt" ? await logoutChatgpt(needs) : await logoutKey(needs, account)
  if (removed) await noteChange(needs, account, "removed")
  else needs.output.say(`There was nothing to remove for ${account}.`)
}

async function logoutChatgpt(needs: CliNeeds): Promise<boolean> {
  const { signOut } = await import("../../../../llm/signin/chatgpt.ts")
  const { wasSignedIn, revoked } = await signOut(await chatgptNeeds(needs))
  if (!wasSignedIn) return false
  needs.output.say("Signed out of ChatGPT: the tokens are removed from this machine.")
  if (!revoked) needs.output.say("OpenAI did not answer; you can end the session in its own settings.")
  return true
}

async function logoutKey(needs: CliNeeds, account: KeyedAccount): Promise<boolean> {
  const { keyKinds, removeKey } = await import("../../../../llm/signin/keys.ts")
  const { name, variable } = keyKinds[account]
  if (!(await removeKey({ ...needs, credentialsFile: needs.paths.credentialsFile }, account))) return false
  needs.output.say(`Removed the key of ${name}.`)
  if (needs.env.variable(variable) !== undefined)
    needs.output.say(`${variable} is still set, and Reverie uses it.`)
  return true
}
