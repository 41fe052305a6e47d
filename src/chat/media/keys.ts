import { z } from "zod"
import type { Environment } from "../../config/environment.ts"
import { type CredentialStore, changeCredentials, readCredentials } from "../../llm/signin/credentials.ts"
import { findKey } from "../../llm/signin/keys.ts"
import type { MediaKeyName } from "./keyed-media.ts"
import type { MediaSettings } from "./settings.ts"

const saved = z.object({ key: z.string().min(1), savedAt: z.int() }).optional()
/** The media section of the credentials file. */
const mediaSchema = z.looseObject({ image: saved, video: saved, giphy: saved, tenor: saved }).catch({})

/** The environment variables, which override saved keys. */
export const keyVariables: Record<MediaKeyName, string> = {
  image: "REVERIE_IMAGE_API_KEY",
  video: "REVERIE_VIDEO_API_KEY",
  giphy: "GIPHY_API_KEY",
  tenor: "TENOR_API_KEY",
}

/**
 * The key for a server, from the environment or else the credentials file. The OpenAI key of models is used only for
 * OpenAI itself.
 */
export function findMediaKey(
  env: Pick<Environment, "variable">,
  credentialsFile: string,
  { media }: Pick<MediaSettings, "media">,
  name: MediaKeyName,
): string | undefined {
  const own = env.variable(keyVariables[name]) ?? savedIn(readCredentials(credentialsFile))[name]?.key
  const isOpenAi =
    (name === "image" && media.image_url === "") || (name === "video" && media.video_url === "")
  return own ?? (isOpenAi ? findKey(env, credentialsFile, "openai") : undefined)
}

/** Saves a key in the credentials file, which only the user can read. */
export function saveMediaKey(needs: CredentialStore, name: MediaKeyName, key: string): Promise<void> {
  const one = { key, savedAt: needs.clock.now() }
  return changeCredentials(needs, async (credentials, keep) =>
    keep({ ...credentials, media: { ...savedIn(credentials), [name]: one } }),
  )
}

function savedIn(credentials: Record<string, unknown>): z.output<typeof mediaSchema> {
  return mediaSchema.parse(credentials.media ?? {})
}
