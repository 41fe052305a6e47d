import { z } from "zod"
import type { Environment } from "../../config/environment.ts"
import { type CredentialStore, changeCredentials, readCredentials } from "../../llm/signin/credentials.ts"
import type { ChatPlatform } from "./platforms.ts"

const secretSchema = z.object({ secret: z.string().min(1), savedAt: z.int() })
/** The chat section of the credentials file. */
const chatSchema = z.looseObject({ discord: secretSchema.optional(), irc: secretSchema.optional() }).catch({})

/** The environment variables, which override saved secrets. */
const variables: Record<ChatPlatform, string> = {
  discord: "REVERIE_DISCORD_TOKEN",
  irc: "REVERIE_IRC_PASSWORD",
}

/** The bot's token, or the IRC password, from the environment or else the credentials file. */
export function findChatSecret(
  env: Pick<Environment, "variable">,
  credentialsFile: string,
  platform: ChatPlatform,
): string | undefined {
  return env.variable(variables[platform]) ?? savedIn(readCredentials(credentialsFile))[platform]?.secret
}

/** Saves a token or password in the credentials file, which only the user can read. */
export function saveChatSecret(
  needs: CredentialStore,
  platform: ChatPlatform,
  secret: string,
): Promise<void> {
  const saved = { secret, savedAt: needs.clock.now() }
  return changeCredentials(needs, async (credentials, keep) =>
    keep({ ...credentials, chat: { ...savedIn(credentials), [platform]: saved } }),
  )
}

function savedIn(credentials: Record<string, unknown>): z.output<typeof chatSchema> {
  return chatSchema.parse(credentials.chat ?? {})
}
