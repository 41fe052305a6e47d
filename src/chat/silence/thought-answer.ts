import { z } from "zod"
import { sober, structuredIn } from "./decision.ts"
import { namedBy, optionalId, optionalText } from "./lenient.ts"
import { recogniseSilence } from "./recognise.ts"

/** What a model answered about a thought of its own, before anybody looked whether there is such a channel. */
export type GivenThought =
  | {
      action: "post" | "hold"
      channel: string | null
      replyTo: string | null
      text: string
      media: { kind: "image" | "video" | "gif"; prompt: string } | null
      reason: string
    }
  | { action: "drop"; reason: string }

/** Other names that models give to the three. */
const actions: Record<string, GivenThought["action"]> = {
  ...{ post: "post", postnow: "post", say: "post", reply: "post", send: "post" },
  ...{ hold: "hold", keep: "hold", wait: "hold", refine: "hold", redirect: "hold" },
  ...{ drop: "drop", skip: "drop", silent: "drop", silence: "drop", none: "drop", noreply: "drop" },
}

const media = z
  .looseObject({ kind: z.enum(["image", "video", "gif"]), prompt: z.string().trim().min(1).max(4000) })
  .nullish()
  .catch(null)
  .transform((plan) => (plan ? { kind: plan.kind, prompt: plan.prompt } : null))

const answer = z.looseObject({
  action: namedBy(actions).pipe(z.enum(["post", "hold", "drop"])),
  channel: optionalId,
  replyTo: optionalId,
  text: optionalText,
  media,
  reason: optionalText.transform((reason) => reason.replaceAll(/\s+/g, " ").slice(0, 240)),
})

/**
 * Reads a model's whole answer about a thought. Only the structured form can say something: prose names no channel. What
 * it wants to say goes through the one recogniser of silence.
 */
export function readThought(raw: string): GivenThought {
  for (const value of structuredIn(raw)) {
    const parsed = answer.safeParse(value)
    if (parsed.success) return settled(parsed.data)
  }
  const spoken = recogniseSilence(raw)
  return {
    action: "drop",
    reason: spoken.isSilent ? `The model was asked, and ${spoken.why}.` : "Its decision could not be read.",
  }
}

function settled({ action, text, reason, ...rest }: z.output<typeof answer>): GivenThought {
  if (action === "drop") return { action, reason: reason || "It decided to say nothing." }
  const decision = sober({ action: "reply", text, replyTo: null, reason })
  if (decision.action !== "reply") return { action: "drop", reason: decision.reason }
  const { channel, replyTo, media: plan } = rest
  return { action, channel, replyTo, media: plan, text: decision.text, reason }
}
