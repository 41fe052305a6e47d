import { z } from "zod"
import { resolveSilence, structuredIn } from "./decision.ts"
import { aliasOf, optionalId, optionalText } from "./lenient.ts"
import { recogniseSilence } from "./recognise.ts"

/** The parsed answer of a model about a thought; its channel is not checked yet. */
export type ParsedThought =
  | {
      action: "post" | "hold"
      channel: string | null
      replyTo: string | null
      text: string
      media: { kind: "image" | "video" | "gif"; prompt: string } | null
      reason: string
    }
  | { action: "drop"; reason: string }

/** Other names that models use. */
const actions: Record<string, ParsedThought["action"]> = {
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
  action: aliasOf(actions).pipe(z.enum(["post", "hold", "drop"])),
  channel: optionalId,
  replyTo: optionalId,
  text: optionalText,
  media,
  reason: optionalText.transform((reason) => reason.replaceAll(/\s+/g, " ").slice(0, 240)),
})

/**
 * Parses a model's answer about a thought. Only JSON can post something: prose names no channel. Its text is checked for
 * silence.
 */
export function readThought(raw: string): ParsedThought {
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

function settled({ action, text, reason, ...rest }: z.output<typeof answer>): ParsedThought {
  if (action === "drop") return { action, reason: reason || "It decided to say nothing." }
  const decision = resolveSilence({ action: "reply", text, replyTo: null, reason })
  if (decision.action !== "reply") return { action: "drop", reason: decision.reason }
  const { channel, replyTo, media: plan } = rest
  return { action, channel, replyTo, media: plan, text: decision.text, reason }
}
