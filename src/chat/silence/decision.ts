import { z } from "zod"
import { parseJson } from "../../base/text/json.ts"
import { type MediaPlan, readPlan } from "../media/plan.ts"
import { namedBy, optionalId, optionalText } from "./lenient.ts"
import { recogniseSilence } from "./recognise.ts"
import { spokenPart } from "./unwrap.ts"

/** What a model decided about a room. Everything that it may do there is one of these. */
export type Decision =
  | {
      action: "reply"
      text: string
      replyTo: string | null
      reason: string
      /** A picture, video or GIF that it wants with it. */
      media?: MediaPlan | undefined
      /** Files that were made for it, by the name they are found by. */
      attachment?: string | undefined
    }
  | { action: "react"; emoji: string; to: string | null; reason: string }
  /** Something worth saying later; nobody sees it now. */
  | { action: "hold"; text: string; reason: string }
  | { action: "silent"; reason: string }

/** Other names that models give to the four. */
const actions: Record<string, Decision["action"]> = {
  reply: "reply",
  post: "reply",
  postnow: "reply",
  answer: "reply",
  speak: "reply",
  react: "react",
  reaction: "react",
  hold: "hold",
  wait: "hold",
  silent: "silent",
  silence: "silent",
  noreply: "silent",
  skip: "silent",
  drop: "silent",
  none: "silent",
}

/** The structured form, as tolerant as models are sloppy: unknown fields are left aside, missing ones are empty. */
const decisionSchema = z
  .looseObject({
    action: namedBy(actions).pipe(z.enum(["reply", "react", "hold", "silent"])),
    text: optionalText,
    emoji: optionalText,
    replyTo: optionalId,
    reply_to: optionalId,
    media: z.unknown().optional().transform(readPlan),
    reason: optionalText.transform((reason) => reason.slice(0, 240)),
  })
  .transform((given) => ({ ...given, replyTo: given.replyTo ?? given.reply_to }))

/** What a model gave in the structured form, tried in turn: all of it, in a fence, or behind some prose. */
export function structuredIn(raw: string): unknown[] {
  return objectTexts(spokenPart(raw)).map(valueIn)
}

/** Reads a model's whole answer: the structured decision where there is one, else the text as it stands. */
export function readDecision(raw: string): Decision {
  const spoken = spokenPart(raw)
  for (const text of objectTexts(spoken)) {
    const parsed = decisionSchema.safeParse(valueIn(text))
    if (parsed.success) return settled(parsed.data)
  }
  if (/^[\s`"'a-z]*\{[\s\S]{0,200}\\?"action\\?"\s*:/.test(spoken)) {
    return { action: "silent", reason: "Its decision could not be read." }
  }
  return sober({ action: "reply", text: raw, replyTo: null, reason: "" })
}

type Given = z.output<typeof decisionSchema>

function settled({ action, text, emoji, replyTo, reason, media }: Given): Decision {
  if (action === "reply") return sober({ action, text, replyTo, reason, ...(media ? { media } : {}) })
  if (action === "react" && emoji !== "") return { action, emoji, to: replyTo, reason }
  if (action === "hold" && text !== "") return { action, text, reason }
  return { action: "silent", reason: reason || "It decided to stay silent." }
}

/** A reply is one only if it says something; else it is silence, with the reason. */
export function sober(decision: Decision): Decision {
  if (decision.action !== "reply") return decision
  const spoken = recogniseSilence(decision.text)
  if (!spoken.isSilent) return { ...decision, text: spoken.text }
  return { action: "silent", reason: decision.reason || `The model was asked, and ${spoken.why}.` }
}

/** Where an object may stand in an answer: all of it, in a fence, encoded as a string, or behind some prose. */
function objectTexts(text: string): string[] {
  const fenced = /```(?:json|json5)?\s*\n?([\s\S]*?)```/i.exec(text)?.[1]
  const braces =
    text.indexOf("{") === -1 ? undefined : text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)
  return [text, fenced, braces].filter((one) => one !== undefined && one.trim() !== "").map(String)
}

function valueIn(text: string): unknown {
  let value: unknown = text.trim()
  for (let depth = 0; depth < 3 && typeof value === "string"; depth += 1) {
    try {
      value = parseJson(value)
    } catch {
      return undefined
    }
  }
  return value
}
