import { Argument, type Command } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { type AccountId, accountIds, type KeyedAccount } from "../../../../llm/signin/account-ids.ts"
import type { SignInResult } from "../../../../llm/signin/sign-in.ts"
import { chatgptNeeds, noteChange, showAccounts, whose } from "../../accounts.ts"
import { askOnce, readSecret, reportCancelled } from "../../ask.ts"
import type { CliNeeds } from "../../needs.ts"

interface LoginOptions {
  browser: boolean
  withKey?: boolean
  check?: boolean
  json?: boolean
}

/** `reverie login` */
export function loginCommand(program: Command, needs: CliNeeds): void {
  program
    .command("login")
    .description("show your accounts for models, or sign in to one")
    .addArgument(new Argument("[account]", "what to sign in to").choices(accountIds))
    .option("--no-browser", "chatgpt: open the address in another browser, and paste the address it ends at")
    .option("--with-key", "openai, anthropic, openrouter: read the key from standard input")
    .option("--check", "check that the ChatGPT sign-in still works, and renew it if needed")
    .option("--json", "print JSON")
    .action((account: AccountId | undefined, options: LoginOptions) => login(needs, account, options))
}

async function login(needs: CliNeeds, account: AccountId | undefined, options: LoginOptions): Promise<void> {
  refuseWrongOptions(account, options)
  if (options.check) await checkChatgpt(needs, options)
  else if (account === "chatgpt") await loginChatgpt(needs, options)
  else if (account === "claude") needs.output.say(claudeSignIn)
  else if (account !== undefined) await loginWithKey(needs, account, options)
  if (account === undefined || options.json) await showAccounts(needs, options)
}

const claudeSignIn =
  "Reverie uses your own claude program and stores no sign-in for it: start `claude` and use /login there."

function refuseWrongOptions(account: AccountId | undefined, { browser, withKey, check }: LoginOptions): void {
  const takesKey = account !== undefined && account !== "chatgpt" && account !== "claude"
  if (withKey && !takesKey)
    throw new UserError("usage", "--with-key needs openai, anthropic or openrouter; name one of them.")
  if (!browser && account !== "chatgpt")
    throw new UserError("usage", "--no-browser is for chatgpt only; leave it out.")
  if (check && account !== undefined && account !== "chatgpt")
    throw new UserError("usage", "--check is for chatgpt only; `reverie models --test` tries keys.")
}

async function loginChatgpt(needs: CliNeeds, { browser }: LoginOptions): Promise<void> {
  const { signInByBrowser, signInByPaste } = await import("../../../../llm/signin/sign-in.ts")
  const { openBrowser } = await import("../../../../llm/signin/browser.ts")
  const { signal: interrupted, onInterrupt } = cancelOnInterrupt()
  const show = (url: string) => {
    needs.output.say(browser ? opened(url) : toBeOpened(url))
    if (browser) openBrowser(url)
  }
  const all = { ...(await chatgptNeeds(needs)), signal: interrupted, show }
  const ask = (signal: AbortSignal) => askOnce(needs, undefined, { signal, onInterrupt })
  await finishSignIn(needs, await (browser ? signInByBrowser(all) : signInByPaste(all, ask)))
}

function opened(url: string): string {
  const lead = "Your browser opens for signing in with ChatGPT. If it does not, open this address:"
  return `${lead}\n\n${url}\n\nWaiting until you are signed in; Ctrl-C cancels.`
}

function toBeOpened(url: string): string {
  const then =
    "It ends at an address on localhost that need not load; paste that whole address and press Enter:"
  return `Open this address in any browser and sign in with ChatGPT:\n\n${url}\n\n${then}`
}

async function finishSignIn(needs: CliNeeds, result: SignInResult): Promise<void> {
  if (result.outcome === "cancelled") return reportCancelled(needs)
  if (result.outcome === "refused") throw new UserError("failed", result.reason)
  const { email, plan } = result.chatgpt
  await noteChange(needs, "chatgpt", "saved")
  needs.output.say(`Signed in with ChatGPT${whose(email, plan)}.`)
}

/** The first Ctrl-C cancels the sign-in, a second one ends the program. */
function cancelOnInterrupt(): { signal: AbortSignal; onInterrupt(): void } {
  const controller = new AbortController()
  const onInterrupt = () => controller.abort()
  process.once("SIGINT", onInterrupt)
  process.once("SIGTERM", onInterrupt)
  return { signal: controller.signal, onInterrupt }
}

async function loginWithKey(
  needs: CliNeeds,
  account: KeyedAccount,
  { withKey }: LoginOptions,
): Promise<void> {
  const { keyKinds, problemWithKey, saveKey } = await import("../../../../llm/signin/keys.ts")
  const { name, variable } = keyKinds[account]
  const secret = { name: "key", of: ` of ${name}`, option: "--with-key", isPiped: withKey }
  const key = await readSecret(needs, secret, withKey ? {} : cancelOnInterrupt())
  if (key === undefined) return reportCancelled(needs)
  const problem = problemWithKey(account, key)
  if (problem !== undefined) throw new UserError("usage", problem)
  await saveKey({ ...needs, credentialsFile: needs.paths.credentialsFile }, account, key)
  await noteChange(needs, account, "saved")
  needs.output.say(`Saved the key of ${name}.`)
  if (needs.env.variable(variable) !== undefined)
    needs.output.say(`${variable} is set and takes precedence over it.`)
}

async function checkChatgpt(needs: CliNeeds, { json }: LoginOptions): Promise<void> {
  const { openChatgpt } = await import("../../../../llm/signin/chatgpt.ts")
  const access = await openChatgpt(await chatgptNeeds(needs)).access()
  if (access.outcome === "failed") throw new UserError("failed", access.failure.message)
  if (!json) needs.output.say("The ChatGPT sign-in works.")
}
