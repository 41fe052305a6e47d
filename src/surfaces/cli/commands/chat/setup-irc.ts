import { UserError } from "../../../../base/errors.ts"
import type { ChannelEvent } from "../../../../chat/channels/channel.ts"
import type { IrcSettings } from "../../../../chat/channels/irc/link.ts"
import { noteChange } from "../../accounts.ts"
import { callOff, openQuestions, type Questions } from "../../ask.ts"
import type { CliNeeds } from "../../needs.ts"
import { readAll } from "../../read-all.ts"
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

interface Wish {
  host: string
  nick: string
  channels: string[]
  account: string
  password: string
}

/** `reverie chat setup irc` */
export async function setUpIrc(needs: CliNeeds, options: IrcOptions): Promise<void> {
  const wish = await wished(needs, options)
  if (wish === undefined) return callOff(needs)
  const { password, ...rest } = wish
  const port = options.port === undefined ? (options.tls ? 6697 : 6667) : Number(options.port)
  const settings = {
    enabled: true,
    ...rest,
    port,
    tls: options.tls,
    tls_fingerprint: options.tlsFingerprint ?? "",
  }
  if (wish.host === "") throw new UserError("usage", "An IRC server is missing; give --host.")
  await requireSettings("irc", settings)
  const problems = options.check ? await tryIrc(needs, { ...wish, port }, options) : []
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
  if (options.check) needs.output.say(`It can be reached as ${wish.nick} on ${wish.host}.`)
}

/** From the options where there are any, else asked for; undefined if it was called off. */
async function wished(needs: CliNeeds, options: IrcOptions): Promise<Wish | undefined> {
  const { host, nick = "reverie", channel, account = "" } = options
  if (host !== undefined) {
    const password = options.withPassword ? (await readAll(needs.input)).trim() : ""
    if (account !== "" && password === "")
      throw new UserError("usage", "An account needs its password; pipe it in and give --with-password.")
    return { host, nick, channels: channel, account, password }
  }
  if (!needs.input.isTTY)
    throw new UserError("usage", "There is no terminal to ask at; give --host, --nick and --channel.")
  const questions = openQuestions(needs)
  try {
    return await asked(questions)
  } finally {
    questions.close()
  }
}

async function asked({ ask }: Questions): Promise<Wish | undefined> {
  const host = await ask("Which server? Such as irc.libera.chat:")
  const nick = await ask("Which nick shall it have? (Enter for reverie)")
  const channels = await ask("Which channels shall it join? Such as #garden #shed:")
  const account = await ask("Which account does it sign in to, with SASL? (Enter for none)")
  const password = await ask(
    "The password of the account, or of the server (it is not shown; Enter for none):",
    {
      isHidden: true,
    },
  )
  if (host === undefined || channels === undefined || password === undefined) return undefined
  return {
    host,
    nick: nick || "reverie",
    channels: channels.split(/[\s,]+/).filter((channel) => channel !== ""),
    account: account ?? "",
    password,
  }
}

const withinMs = 40_000

/** Connects once; gives what a person should know, or throws what keeps it from connecting. */
async function tryIrc(
  needs: CliNeeds,
  wish: Wish & { port: number },
  options: IrcOptions,
): Promise<string[]> {
  const { openIrc } = await import("../../../../chat/channels/irc/open-irc.ts")
  const settings: IrcSettings = {
    ...wish,
    tls: options.tls,
    tlsFingerprint: options.tlsFingerprint ?? "",
    secondsBetweenLines: 0,
  }
  const channel = openIrc(needs, settings)
  const problems: string[] = []
  const outcome = Promise.withResolvers<string | undefined>()
  const take = (event: ChannelEvent) => {
    if (event.kind === "connected") outcome.resolve(undefined)
    if (event.kind === "disconnected")
      outcome.resolve(`The IRC server could not be reached: ${event.reason}.`)
    if (event.kind === "problem" && event.isFatal) outcome.resolve(event.problem)
    else if (event.kind === "problem") problems.push(event.problem)
  }
  const off = needs.clock.after(withinMs, () => outcome.resolve("The IRC server did not answer in time."))
  try {
    await channel.start(take)
    const failure = await outcome.promise
    if (failure !== undefined)
      throw new UserError("failed", `${failure} Nothing was saved; fix it, or give --no-check.`)
    return problems
  } finally {
    off()
    await channel.stop()
  }
}
