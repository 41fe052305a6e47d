import { z } from "zod"
import { aliasOf } from "../silence/lenient.ts"

export const mediaKinds = ["image", "video", "gif"] as const
export type MediaKind = (typeof mediaKinds)[number]

/** A picture, video or GIF for a message. */
export interface MediaPlan {
  kind: MediaKind
  /** What it shows, or what to search for. */
  prompt: string
  /** One of the allowed models; the first of them by default. */
  model?: string | undefined
}

/** Other names that models use. */
const names: Record<string, MediaKind> = {
  image: "image",
  picture: "image",
  photo: "image",
  video: "video",
  clip: "video",
  gif: "gif",
}

const planSchema = z.looseObject({
  kind: aliasOf(names).pipe(z.enum(mediaKinds)),
  prompt: z.string().trim().min(1),
  model: z.string().min(1).max(100).nullish().catch(null),
})

/** Parses the plan that a model wrote; null if it is not valid. */
export function readPlan(value: unknown): MediaPlan | null {
  const parsed = planSchema.safeParse(value)
  if (!parsed.success) return null
  const { kind, prompt, model } = parsed.data
  return { kind, prompt: prompt.slice(0, 8000), ...(model ? { model } : {}) }
}
