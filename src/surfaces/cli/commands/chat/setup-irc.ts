import { text as readText } from "node:stream/consumers"
import { UserError } from "../../../../base/errors.ts"
import type { ChannelEvent } from "../../../../chat/channels/channel.ts"
import type { IrcSettings } from "../../../../chat/channels/irc/connection.ts"
import { noteChange } from "../../accounts.ts"
import { openQuestions, type Questions, reportCancelled } from "../../ask.ts"
import type { CliNeeds } from "../../needs.ts"
import { requireSettings, writeSettings } from "./write-settings.ts"

export interface IrcOptions {
  host?: string
  port?: string
  tls: boolean
  tlsFingerprint?: string
  nick?: string
  channel: string[]
  account?: string
  withPassword?: boolean
  check: boolean
  json?: boolean
}

interface IrcAccount {
  host: string
  nick: string
  channels: string[]
  account: string
  password: string
}

/** `reverie chat setup irc` */
export async function setUpIrc(needs: CliNeeds, options: IrcOptions): Promise<void> {
  const account = await readAccount(needs, options)
  if (account === undefined) return reportCancelled(needs)
  const { password, ...rest } = account
  const port = options.port === undefined ? (options.tls ? 6697 : 6667) : Number(options.port)
  const settings = {
    enabled: true,
    ...rest,
    port,
    tls: options.tls,
    tls_fingerprint: options.tlsFingerprint ?? "",
  }
  if (account.host === "") throw new UserError("usage", "An IRC server is missing; give --host.")
  await requireSettings("irc", settings)
  const problems = options.check ? await tryIrc(needs, { ...account, port }, options) : []
  if (password !== "") {
    const { saveChatSecret } = await import("../../../../chat/channels/credentials.ts")
    await saveChatSecret({ ...needs, credentialsFile: needs.paths.credentialsFile }, "irc", password)
    await noteChange(needs, "irc", "saved")
    needs.output.say(`Saved the password in ${needs.paths.credentialsFile}.`)
  }
  const changed = await writeSettings(needs, "irc", settings)
  if (options.json)
    return needs.output.json({
      schemaVersion: 1,
      platform: "irc",
      isChecked: options.check,
      problems,
      changed,
    })
  for (const problem of problems) needs.output.say(problem)
  if (options.check) needs.output.say(`Connected as ${account.nick} to ${account.host}.`)
}

/** Takes the account from the options, or asks for it; undefined if the user cancels. */
async function readAccount(needs: CliNeeds, options: IrcOptions): Promise<IrcAccount | undefined> {
  const { host, nick = "reverie", channel, account = "" } = options
  if (host !== undefined) {
    const password = options.withPassword ? (await readText(needs.input)).trim() : ""
    if (account !== "" && password === "")
      throw new UserError("usage", "An account needs its password; pipe it in and give --with-password.")
    return { host, nick, channels: channel, account, password }
  }
  if (!needs.input.isTTY)
    throw new UserError("usage", "There is no terminal to ask on; give --host, --nick and --channel.")
  const questions = openQuestions(needs)
  try {
    return await askForAccount(questions)
  } finally {
    questions.close()
  }
}

async function askForAccount({ ask }: Questions): Promise<IrcAccount | undefined> {
  const host = await ask("Which server? Such as irc.libera.chat:")
  const nick = await ask("Which nick? (Enter for reverie)")
  const channels = await ask("Which channels? Such as #garden #shed:")
  const account = await ask("Which SASL account? (Enter for none)")
  const password = await ask("The password of the account or the server (it stays hidden; Enter for none):", {
    isHidden: true,
  })
  if (host === undefined || channels === undefined || password === undefined) return undefined
  return {
    host,
    nick: nick || "reverie",
    channels: channels.split(/[\s,]+/).filter((channel) => channel !== ""),
    account: account ?? "",
    password,
  }
}

const timeoutMs = 40_000

/** Connects once and returns warnings; throws if it cannot connect. */
async function tryIrc(
  needs: CliNeeds,
  account: IrcAccount & { port: number },
  options: IrcOptions,
): Promise<string[]> {
  const { openIrc } = await import("../../../../chat/channels/irc/open-irc.ts")
  const settings: IrcSettings = {
    ...account,
    tls: options.tls,
    tlsFingerprint: options.tlsFingerprint ?? "",
    secondsBetweenLines: 0,
  }
  const channel = openIrc(needs, settings)
  const problems: string[] = []
  const outcome = Promise.withResolvers<string | undefined>()
  const onEvent = (event: ChannelEvent) => {
    if (event.kind === "connected") outcome.resolve(undefined)
    if (event.kind === "disconnected")
      outcome.resolve(`The IRC server could not be reached: ${event.reason}.`)
    if (event.kind === "problem" && event.isFatal) outcome.resolve(event.problem)
    else if (event.kind === "problem") problems.push(event.problem)
  }
  const off = needs.clock.after(timeoutMs, () => outcome.resolve("The IRC server did not answer in time."))
  try {
    await channel.start(onEvent)
    const failure = await outcome.promise
    if (failure !== undefined)
      throw new UserError("failed", `${failure} Nothing was saved; fix it, or give --no-check.`)
    return problems
  } finally {
    off()
    await channel.stop()
  }
}
