/** The platforms that need a secret: a bot's token, a password. */
export const chatPlatforms = ["discord", "irc"] as const
export type ChatPlatform = (typeof chatPlatforms)[number]
