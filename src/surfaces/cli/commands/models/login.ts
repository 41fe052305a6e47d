import { Argument, type Command } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { type AccountId, accountIds, type KeyedAccount } from "../../../../llm/signin/account-ids.ts"
import type { SignedIn } from "../../../../llm/signin/sign-in.ts"
import { chatgptNeeds, noteChange, showAccounts, whose } from "../../accounts.ts"
import { askOnce, askSecret, callOff } from "../../ask.ts"
import type { CliNeeds } from "../../needs.ts"
import { readAll } from "../../read-all.ts"

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
    .description("show what models can be asked with, or sign in")
    .addArgument(new Argument("[account]", "what to sign in to").choices(accountIds))
    .option("--no-browser", "chatgpt: open the address elsewhere, and paste where it leads")
    .option("--with-key", "openai, anthropic, openrouter: read the key from standard input")
    .option("--check", "make sure that the ChatGPT sign-in still works, renewing it if that is due")
    .option("--json", "answer in JSON")
    .action((account: AccountId | undefined, options: LoginOptions) => login(needs, account, options))
}

async function login(needs: CliNeeds, account: AccountId | undefined, options: LoginOptions): Promise<void> {
  refuseOdd(account, options)
  if (options.check) await checkChatgpt(needs, options)
  else if (account === "chatgpt") await loginChatgpt(needs, options)
  else if (account === "claude") needs.output.say(claudeIsYours)
  else if (account !== undefined) await loginWithKey(needs, account, options)
  if (account === undefined || options.json) await showAccounts(needs, options)
}

const claudeIsYours =
  "Reverie asks Claude by your own claude program and holds no sign-in of it: start `claude` and use /login there."

function refuseOdd(account: AccountId | undefined, { browser, withKey, check }: LoginOptions): void {
  const takesKey = account !== undefined && account !== "chatgpt" && account !== "claude"
  if (withKey && !takesKey)
    throw new UserError("usage", "--with-key goes with openai, anthropic or openrouter; name one of them.")
  if (!browser && account !== "chatgpt")
    throw new UserError("usage", "--no-browser goes with chatgpt only; leave it out.")
  if (check && account !== undefined && account !== "chatgpt")
    throw new UserError("usage", "--check goes with chatgpt only; keys are tried when models are asked.")
}

async function loginChatgpt(needs: CliNeeds, { browser }: LoginOptions): Promise<void> {
  const { signInByBrowser, signInByPaste } = await import("../../../../llm/signin/sign-in.ts")
  const { openBrowser } = await import("../../../../llm/signin/browser.ts")
  const { interrupted, interrupt } = onInterrupt()
  const show = (url: string) => {
    needs.output.say(browser ? opened(url) : toBeOpened(url))
    if (browser) openBrowser(url)
  }
  const all = { ...(await chatgptNeeds(needs)), signal: interrupted, show }
  const ask = (signal: AbortSignal) => askOnce(needs, undefined, { signal, onInterrupt: interrupt })
  await tellSignedIn(needs, await (browser ? signInByBrowser(all) : signInByPaste(all, ask)))
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

async function tellSignedIn(needs: CliNeeds, result: SignedIn): Promise<void> {
  if (result.outcome === "cancelled") return callOff(needs)
  if (result.outcome === "refused") throw new UserError("failed", result.reason)
  const { email, plan } = result.chatgpt
  await noteChange(needs, "chatgpt", "saved")
  needs.output.say(`Signed in with ChatGPT${whose(email, plan)}.`)
}

/** The first Ctrl-C calls off what waits, a second ends the program as ever. */
function onInterrupt(): { interrupted: AbortSignal; interrupt(): void } {
  const controller = new AbortController()
  const interrupt = () => controller.abort()
  process.once("SIGINT", interrupt)
  process.once("SIGTERM", interrupt)
  return { interrupted: controller.signal, interrupt }
}

async function loginWithKey(
  needs: CliNeeds,
  account: KeyedAccount,
  { withKey }: LoginOptions,
): Promise<void> {
  const { keyKinds, problemWithKey, saveKey } = await import("../../../../llm/signin/keys.ts")
  const { name, variable } = keyKinds[account]
  const typed = withKey ? await readAll(needs.input) : await typedKey(needs, name)
  if (typed === undefined) return callOff(needs)
  const key = typed.trim()
  const problem = problemWithKey(account, key)
  if (problem !== undefined) throw new UserError("usage", problem)
  await saveKey({ ...needs, credentialsFile: needs.paths.credentialsFile }, account, key)
  await noteChange(needs, account, "saved")
  needs.output.say(`Saved the key of ${name}.`)
  if (needs.env.variable(variable) !== undefined)
    needs.output.say(`${variable} is set, and wins as long as it is.`)
}

/** The key as typed, hidden; undefined if it was called off. */
async function typedKey(needs: CliNeeds, name: string): Promise<string | undefined> {
  const { interrupted: signal, interrupt } = onInterrupt()
  const secret = { name: "key", of: ` of ${name}`, option: "--with-key" }
  return askSecret(needs, secret, { signal, onInterrupt: interrupt })
}

async function checkChatgpt(needs: CliNeeds, { json }: LoginOptions): Promise<void> {
  const { openChatgpt } = await import("../../../../llm/signin/chatgpt.ts")
  const access = await openChatgpt(await chatgptNeeds(needs)).access()
  if (access.outcome === "failed") throw new UserError("failed", access.failure.message)
  if (!json) needs.output.say("The ChatGPT sign-in works.")
}
