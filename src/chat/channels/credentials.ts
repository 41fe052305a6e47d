import { credentialSection } from "../../llm/signin/credential-section.ts"
import type { ChatPlatform } from "./platforms.ts"

const variables: Record<ChatPlatform, string> = {
  discord: "REVERIE_DISCORD_TOKEN",
  irc: "REVERIE_IRC_PASSWORD",
}

/** The bot's token and the IRC password. */
export const { find: findChatSecret, save: saveChatSecret } = credentialSection("chat", "secret", variables)
