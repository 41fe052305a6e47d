import { z } from "zod"
import type { Environment } from "../../config/environment.ts"
import { type CredentialNeeds, changeCredentials, readCredentials } from "../../llm/signin/credentials.ts"
import { findKey } from "../../llm/signin/keys.ts"
import type { KeyedMedia } from "./keyed-media.ts"
import type { MediaSettings } from "./settings.ts"

const saved = z.object({ key: z.string().min(1), savedAt: z.int() }).optional()
/** What of the credentials file is ours; it lies beside the sign-ins and keys of models. */
const mediaSchema = z.looseObject({ image: saved, video: saved, giphy: saved, tenor: saved }).catch({})

/** The variables that win over what was saved. */
export const keyVariables: Record<KeyedMedia, string> = {
  image: "REVERIE_IMAGE_API_KEY",
  video: "REVERIE_VIDEO_API_KEY",
  giphy: "GIPHY_API_KEY",
  tenor: "TENOR_API_KEY",
}

/**
 * The key for a server: the environment wins over what was saved. Your OpenAI key goes to OpenAI alone, where no other
 * server is configured.
 */
export function findMediaKey(
  env: Pick<Environment, "variable">,
  credentialsFile: string,
  { media }: Pick<MediaSettings, "media">,
  name: KeyedMedia,
): string | undefined {
  const own = env.variable(keyVariables[name]) ?? savedIn(readCredentials(credentialsFile))[name]?.key
  const isOpenAi =
    (name === "image" && media.image_url === "") || (name === "video" && media.video_url === "")
  return own ?? (isOpenAi ? findKey(env, credentialsFile, "openai") : undefined)
}

/** Keeps a key in the file for credentials, which only the user can read. */
export function saveMediaKey(needs: CredentialNeeds, name: KeyedMedia, key: string): Promise<void> {
  const one = { key, savedAt: needs.clock.now() }
  return changeCredentials(needs, async (credentials, keep) =>
    keep({ ...credentials, media: { ...savedIn(credentials), [name]: one } }),
  )
}

function savedIn(credentials: Record<string, unknown>): z.output<typeof mediaSchema> {
  return mediaSchema.parse(credentials.media ?? {})
}
