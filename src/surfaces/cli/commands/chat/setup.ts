import type { Command } from "commander"
import { UserError } from "../../../../base/errors.ts"
import { noteChange } from "../../accounts.ts"
import { readSecret, reportCancelled } from "../../ask.ts"
import type { CliNeeds } from "../../needs.ts"
import { collect } from "../../option-values.ts"
import { type IrcOptions, setUpIrc } from "./setup-irc.ts"
import { type MediaKeyOptions, setUpMedia } from "./setup-media.ts"
import { requireSettings, writeSettings } from "./write-settings.ts"

interface DiscordOptions {
  withToken?: boolean
  apiUrl?: string
  notifyReplied?: boolean
  check: boolean
  json?: boolean
}

/** `reverie chat setup discord|irc|media` */
export function chatSetupCommand(chat: Command, needs: CliNeeds): void {
  const setup = chat.command("setup").description("connect Reverie with a chat platform, step by step")
  setup
    .command("discord")
    .description("join Discord servers with your own bot account")
    .option("--with-token", "read the bot's token from standard input")
    .option("--api-url <url>", "use this address instead of Discord's API, such as your own proxy")
    .option("--notify-replied", "notify the person an answer replies to")
    .option("--no-check", "save without checking the token with Discord")
    .option("--json", "print JSON")
    .action((options: DiscordOptions) => setUpDiscord(needs, options))
  setup
    .command("irc")
    .description("join channels of an IRC network")
    .option("--host <host>", "the server, such as irc.libera.chat")
    .option("--port <port>", "its port")
    .option(
      "--no-tls",
      "connect without encryption; only for a server on this machine or in your own network",
    )
    .option("--tls-fingerprint <sha256>", "accept the certificate with this fingerprint only")
    .option("--nick <nick>", "its nick on the server")
    .option("--channel <channel>", "a channel to join; repeatable", collect, [])
    .option("--account <account>", "sign in to this account with SASL")
    .option("--with-password", "read the account's or the server's password from standard input")
    .option("--no-check", "save without trying to connect")
    .option("--json", "print JSON")
    .action((options: IrcOptions) => setUpIrc(needs, options))
  setup
    .command("media")
    .description("save the key for pictures, videos or GIFs")
    .argument("<server>", "image, video, giphy or tenor")
    .option("--with-key", "read the key from standard input")
    .option("--json", "print JSON")
    .action((server: string, options: MediaKeyOptions) => setUpMedia(needs, server, options))
}

async function setUpDiscord(needs: CliNeeds, options: DiscordOptions): Promise<void> {
  const { checkToken, problemWithToken } = await import("../../../../chat/channels/discord/check-token.ts")
  const { saveChatSecret } = await import("../../../../chat/channels/credentials.ts")
  const settings = {
    enabled: true,
    ...(options.apiUrl === undefined ? {} : { api_url: options.apiUrl }),
    ...(options.notifyReplied ? { notify_replied: true } : {}),
  }
  await requireSettings("discord", settings)
  const secret = await readToken(needs, options.withToken)
  if (secret === undefined) return reportCancelled(needs)
  const token = secret.replace(/^Bot\s+/i, "")
  const problem = problemWithToken(token)
  if (problem !== undefined) throw new UserError("usage", problem)
  const bot = options.check ? await checkToken(token, await apiUrlOf(needs, options)) : undefined
  await saveChatSecret({ ...needs, credentialsFile: needs.paths.credentialsFile }, "discord", token)
  await noteChange(needs, "discord", "saved")
  needs.output.say(`Saved the token in ${needs.paths.credentialsFile}.`)
  const changed = await writeSettings(needs, "discord", settings)
  const { inviteUrl, botPermissions } = await import("../../../../chat/channels/discord/permissions.ts")
  const invite = bot ? inviteUrl(bot.applicationId) : null
  if (options.json) {
    const permissions = botPermissions.map(({ name, why }) => ({ name, why }))
    const mayReadContent = bot?.mayReadContent ?? null
    const who = bot ? { id: bot.id, name: bot.name } : null
    const answer = { platform: "discord", bot: who, inviteUrl: invite, mayReadContent, permissions, changed }
    return needs.output.json({ schemaVersion: 1, ...answer })
  }
  if (bot && invite !== null) await showNextSteps(needs, bot.name, invite, bot.mayReadContent)
}

async function apiUrlOf(needs: CliNeeds, { apiUrl }: DiscordOptions): Promise<string> {
  if (apiUrl !== undefined) return apiUrl
  const { loadConfig } = await import("../../../../config/load.ts")
  return loadConfig(needs.env, needs.paths).chat.discord.api_url
}

/** Reads the token without showing it; undefined if the user cancels. */
async function readToken(needs: CliNeeds, isPiped: boolean | undefined): Promise<string | undefined> {
  const { botPage } = await import("../../../../chat/channels/discord/messages.ts")
  const { privilegedIntent } = await import("../../../../chat/channels/discord/permissions.ts")
  const lead = [
    "Reverie joins Discord with your own bot account:",
    `  1. Open ${botPage} and make an application (New Application).`,
    `  2. Under Bot, switch on "${privilegedIntent.name}": ${privilegedIntent.why}.`,
    "  3. Under Bot, press Reset Token and copy the token.",
  ].join("\n")
  return readSecret(needs, { lead, name: "token", of: "", option: "--with-token", isPiped })
}

async function showNextSteps(needs: CliNeeds, name: string, invite: string, mayRead: boolean): Promise<void> {
  const { botPermissions } = await import("../../../../chat/channels/discord/permissions.ts")
  const { missingIntent } = await import("../../../../chat/channels/discord/messages.ts")
  const permissions = botPermissions.map(({ name: what, why }) => `  - ${what}: ${why}`)
  needs.output.say(
    [
      `The token works: it belongs to the bot ${name}.`,
      ...(mayRead ? [] : [missingIntent]),
      "Open this address to add it to one of your servers:",
    ].join("\n"),
  )
  needs.output.data(invite)
  needs.output.say(["It asks for these permissions, and no others:", ...permissions].join("\n"))
}
