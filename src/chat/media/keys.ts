import type { Environment } from "../../config/environment.ts"
import { credentialSection } from "../../llm/signin/credential-section.ts"
import { findKey } from "../../llm/signin/keys.ts"
import type { MediaKeyName } from "./keyed-media.ts"
import type { MediaSettings } from "./settings.ts"

/** The environment variables, which override saved keys. */
export const keyVariables: Record<MediaKeyName, string> = {
  image: "REVERIE_IMAGE_API_KEY",
  video: "REVERIE_VIDEO_API_KEY",
  giphy: "GIPHY_API_KEY",
  tenor: "TENOR_API_KEY",
}

const { find, save } = credentialSection("media", "key", keyVariables)

export { save as saveMediaKey }

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
  const own = find(env, credentialsFile, name)
  const isOpenAi =
    (name === "image" && media.image_url === "") || (name === "video" && media.video_url === "")
  return own ?? (isOpenAi ? findKey(env, credentialsFile, "openai") : undefined)
}
