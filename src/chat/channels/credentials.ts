import { z } from "zod"
import type { Environment } from "../../config/environment.ts"
import { type CredentialNeeds, changeCredentials, readCredentials } from "../../llm/signin/credentials.ts"
import type { ChatPlatform } from "./platforms.ts"

const secretSchema = z.object({ secret: z.string().min(1), savedAt: z.int() })
/** What of the credentials file is ours; it lies beside the sign-ins and keys of models. */
const chatSchema = z.looseObject({ discord: secretSchema.optional(), irc: secretSchema.optional() }).catch({})

/** The variables that win over what was saved. */
const variables: Record<ChatPlatform, string> = {
  discord: "REVERIE_DISCORD_TOKEN",
  irc: "REVERIE_IRC_PASSWORD",
}

/** The bot's token, or the password for IRC: the environment wins over what was saved. */
export function findChatSecret(
  env: Pick<Environment, "variable">,
  credentialsFile: string,
  platform: ChatPlatform,
): string | undefined {
  return env.variable(variables[platform]) ?? savedIn(readCredentials(credentialsFile))[platform]?.secret
}

/** Keeps a token or password in the file for credentials, which only the user can read. */
export function saveChatSecret(
  needs: CredentialNeeds,
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
