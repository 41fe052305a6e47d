/** The platforms that want a secret of us: a bot's token, a password. */
export const chatPlatforms = ["discord", "irc"] as const
export type ChatPlatform = (typeof chatPlatforms)[number]
