/** The permissions that the bot needs in a server, and why. */
export const botPermissions: readonly { name: string; bit: bigint; why: string }[] = [
  { name: "View Channels", bit: 1n << 10n, why: "to see the channels it listens in" },
  { name: "Send Messages", bit: 1n << 11n, why: "to answer" },
  { name: "Send Messages in Threads", bit: 1n << 38n, why: "to answer in a thread" },
  {
    name: "Read Message History",
    bit: 1n << 16n,
    why: "to read what was said while it was away, and to reply to messages",
  },
  { name: "Attach Files", bit: 1n << 15n, why: "to post pictures, videos and GIFs, where you let it" },
  { name: "Add Reactions", bit: 1n << 6n, why: "to react instead of writing" },
]

export const privilegedIntent = {
  name: "Message Content Intent",
  why: "to read messages that do not mention it; without it Discord sends them empty",
}

/** The address where a server's owner adds the bot. */
export function inviteUrl(applicationId: string): string {
  const permissions = botPermissions.reduce((all, { bit }) => all | bit, 0n)
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: "bot",
    permissions: String(permissions),
  })
  return `https://discord.com/oauth2/authorize?${query}`
}
