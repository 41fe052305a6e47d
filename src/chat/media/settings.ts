import type { z } from "zod"
import type { media, mediaKeys } from "../../config/settings/chat/media.ts"
import type { MediaKind } from "./plan.ts"

/** The sections of the configuration about media. */
export interface MediaSettings {
  discovery: { [K in keyof typeof mediaKeys]: z.output<(typeof mediaKeys)[K]> }
  media: z.output<typeof media>
}

/** Whether media are for a reply, or for a post of its own. */
export type Purpose = "reply" | "post"

/** Why a kind of media cannot be made for a purpose, as a sentence; undefined if it can. */
export function problemWithKind(
  { discovery, media: { gif_provider } }: MediaSettings,
  kind: MediaKind,
  purpose: Purpose,
): string | undefined {
  const switches = {
    reply: { image: "allow_reply_images", video: "allow_reply_videos", gif: "allow_reply_gifs" },
    post: { image: "allow_image_posts", video: "allow_video_posts", gif: "allow_image_posts" },
  } as const
  const name = switches[purpose][kind]
  if (!discovery[name]) return `chat.initiative.discovery.${name} is off.`
  if (kind === "gif")
    return gif_provider === "none" ? "chat.initiative.media.gif_provider is none." : undefined
  const list = kind === "image" ? "allowed_image_models" : "allowed_video_models"
  return discovery[list].length === 0 ? `chat.initiative.discovery.${list} names no model.` : undefined
}

/** How many of a kind a community may have in 24 hours. */
export function mostPerDay({ discovery }: MediaSettings, kind: MediaKind): number {
  return discovery[`max_${kind}s_per_day`]
}
