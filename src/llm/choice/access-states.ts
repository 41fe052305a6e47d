import type { Host } from "../../config/paths.ts"
import type { Config } from "../../config/schema.ts"
import type { BridgeAccess } from "../bridges/bridge.ts"
import type { ProgramFinder } from "../bridges/find-program.ts"
import { type AccountState, listAccounts } from "../signin/accounts.ts"
import type { AccessId } from "./access.ts"
import { providerAddress } from "./addresses.ts"
import type { LocalServer } from "./local-server.ts"
import type { AccessState } from "./select.ts"

interface StateSources extends Host {
  config: Config
  finder: ProgramFinder
  bridges: Record<"claude" | "codex", BridgeAccess>
  local: LocalServer
}

/** Checks each access: how it is signed in, or what is missing and how to get it. */
export async function accessStates(needs: StateSources): Promise<AccessState[]> {
  const accounts = listAccounts(needs.env, needs.paths.credentialsFile)
  return Promise.all([
    chatGptState(accounts),
    programState(needs, "codex"),
    programState(needs, "claude"),
    localState(needs),
    ...(["openai", "anthropic", "openrouter"] as const).map((id) => keyState(needs, accounts, id)),
  ])
}

function ready(access: AccessId, detail: string): AccessState {
  return { access, ready: true, detail }
}

function missing(access: AccessId, detail: string): AccessState {
  return { access, ready: false, detail }
}

function chatGptState(accounts: readonly AccountState[]): AccessState {
  const account = accounts.find(({ id }) => id === "chatgpt")
  if (account?.id !== "chatgpt" || account.state === "signed-out")
    return missing("chatgpt", "Not signed in; `reverie login chatgpt` does it.")
  if (account.state === "needs-sign-in")
    return missing("chatgpt", `${account.reason ?? "The sign-in has ended."} Run \`reverie login chatgpt\`.`)
  const plan = account.plan === null ? "" : ` (plan ${account.plan})`
  return ready("chatgpt", `Signed in${account.email === null ? "" : ` as ${account.email}`}${plan}.`)
}

const advice = {
  claude: "run `claude` and enter /login",
  codex: "run `codex login`",
}

async function programState(needs: StateSources, id: "claude" | "codex"): Promise<AccessState> {
  const command = needs.config.models[`${id}_command`]
  if (command === "") return missing(id, `Switched off by models.${id}_command.`)
  const program = await needs.finder.find(command)
  if (!program.found) return missing(id, `The program \`${command}\` was not found.`)
  const version = program.version === null ? "" : ` ${program.version}`
  switch (await needs.bridges[id].signIn(new AbortController().signal)) {
    case "subscription":
      return ready(id, `Your \`${command}\`${version}, signed in with your subscription.`)
    case "key":
      return missing(id, `Your \`${command}\` is signed in with a key, which costs money outside every cap.`)
    case "none":
      return missing(id, `Your \`${command}\`${version} is not signed in; ${advice[id]}.`)
    case "unknown":
      return missing(id, `Your \`${command}\`${version} does not say how it is signed in; ${advice[id]}.`)
  }
}

async function localState({ config, local }: StateSources): Promise<AccessState> {
  const { local_url } = config.models
  if (local_url === "") return missing("local", "No local server is configured; set models.local_url.")
  const found = await local.models()
  if (found.outcome === "failed") return missing("local", found.reason)
  return ready("local", `The server at ${local_url} answers.`)
}

function keyState(
  { env }: StateSources,
  accounts: readonly AccountState[],
  id: "openai" | "anthropic" | "openrouter",
): AccessState {
  const { problem } = providerAddress(env, id)
  if (problem) return missing(id, problem)
  const account = accounts.find((one) => one.id === id)
  if (account?.kind !== "key" || account.state === "missing")
    return missing(id, `No key; \`reverie login ${id}\` saves one.`)
  return ready(id, account.from === "environment" ? `A key in ${account.variable}.` : "A saved key.")
}
