export const keyedMedia = ["image", "video", "giphy", "tenor"] as const
/** Who wants a key: the server for pictures, the one for videos, a finder of GIFs. */
export type KeyedMedia = (typeof keyedMedia)[number]
