export const mediaKeyNames = ["image", "video", "giphy", "tenor"] as const
/** What a key is for: the image server, the video server, or a GIF provider. */
export type MediaKeyName = (typeof mediaKeyNames)[number]
