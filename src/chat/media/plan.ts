import { z } from "zod"
import { namedBy } from "../silence/lenient.ts"

export const mediaKinds = ["image", "video", "gif"] as const
export type MediaKind = (typeof mediaKinds)[number]

/** A picture, video or GIF that something said is to carry. */
export interface MediaPlan {
  kind: MediaKind
  /** What it shows, or what to look for. */
  prompt: string
  /** One of the models that the person allows; the first of them without it. */
  model?: string | undefined
}

/** Other names that models give to the three. */
const names: Record<string, MediaKind> = {
  image: "image",
  picture: "image",
  photo: "image",
  video: "video",
  clip: "video",
  gif: "gif",
}

const planSchema = z.looseObject({
  kind: namedBy(names).pipe(z.enum(mediaKinds)),
  prompt: z.string().trim().min(1),
  model: z.string().min(1).max(100).nullish().catch(null),
})

/** What a model wrote as its plan; null where there is none that can be read. */
export function readPlan(given: unknown): MediaPlan | null {
  const parsed = planSchema.safeParse(given)
  if (!parsed.success) return null
  const { kind, prompt, model } = parsed.data
  return { kind, prompt: prompt.slice(0, 8000), ...(model ? { model } : {}) }
}
