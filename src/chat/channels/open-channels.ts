import type { Environment } from "../../config/environment.ts"
import type { Host } from "../../config/paths.ts"
import type { Config } from "../../config/schema.ts"
import type { Channel } from "./channel.ts"
import { findChatSecret } from "./credentials.ts"
import { openDiscord } from "./discord/open-discord.ts"
import { openIrc } from "./irc/open-irc.ts"

/** Opens the enabled channels without starting them; `problems` has a sentence for each that cannot be opened. */
export function openChannels(
  needs: Pick<Host, "clock" | "random"> & { env: Pick<Environment, "variable">; credentialsFile: string },
  { discord, irc }: Pick<Config["chat"], "discord" | "irc">,
): { channels: Channel[]; problems: string[] } {
  const channels: Channel[] = []
  const problems: string[] = []
  if (discord.enabled) {
    const token = findChatSecret(needs.env, needs.credentialsFile, "discord")
    const settings = { apiUrl: discord.api_url, notifyReplied: discord.notify_replied }
    if (token === undefined)
      problems.push("Discord is switched on without a token; run `reverie chat setup discord`.")
    else channels.push(openDiscord(needs, { ...settings, token }))
  }
  if (irc.enabled && irc.host === "")
    problems.push("IRC is switched on without a server; run `reverie chat setup irc`.")
  else if (irc.enabled) {
    const password = findChatSecret(needs.env, needs.credentialsFile, "irc") ?? ""
    const { tls_fingerprint: tlsFingerprint, seconds_between_lines: secondsBetweenLines, ...rest } = irc
    if (irc.account !== "" && password === "")
      problems.push(`The IRC account ${irc.account} has no password; run \`reverie chat setup irc\`.`)
    else channels.push(openIrc(needs, { ...rest, tlsFingerprint, secondsBetweenLines, password }))
  }
  return { channels, problems }
}
