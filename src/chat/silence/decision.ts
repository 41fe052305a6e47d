import { z } from "zod"
import { parseJson } from "../../base/text/json.ts"
import { type MediaPlan, readPlan } from "../media/plan.ts"
import { aliasOf, optionalId, optionalText } from "./lenient.ts"
import { recogniseSilence } from "./recognise.ts"
import { spokenText } from "./unwrap.ts"

/** What a model decided to do in a room. */
export type Decision =
  | {
      action: "reply"
      text: string
      replyTo: string | null
      reason: string
      media?: MediaPlan | undefined
      /** The id of the files that were made for it. */
      attachment?: string | undefined
    }
  | { action: "react"; emoji: string; to: string | null; reason: string }
  /** A draft for later; nobody sees it now. */
  | { action: "hold"; text: string; reason: string }
  | { action: "silent"; reason: string }

/** Other names that models use. */
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

/** The JSON form, parsed leniently: unknown fields are ignored, missing ones are empty. */
const decisionSchema = z
  .looseObject({
    action: aliasOf(actions).pipe(z.enum(["reply", "react", "hold", "silent"])),
    text: optionalText,
    emoji: optionalText,
    replyTo: optionalId,
    reply_to: optionalId,
    media: z.unknown().optional().transform(readPlan),
    reason: optionalText.transform((reason) => reason.slice(0, 240)),
  })
  .transform((parsed) => ({ ...parsed, replyTo: parsed.replyTo ?? parsed.reply_to }))

/** The JSON values in an answer, in the order in which to try them. */
export function structuredIn(raw: string): unknown[] {
  return objectTexts(spokenText(raw)).map(valueIn)
}

/** Parses a model's answer: its JSON decision, or else its text as a reply. */
export function readDecision(raw: string): Decision {
  const spoken = spokenText(raw)
  for (const value of structuredIn(raw)) {
    const parsed = decisionSchema.safeParse(value)
    if (parsed.success) return settled(parsed.data)
  }
  if (/^[\s`"'a-z]*\{[\s\S]{0,200}\\?"action\\?"\s*:/.test(spoken)) {
    return { action: "silent", reason: "Its decision could not be read." }
  }
  return resolveSilence({ action: "reply", text: raw, replyTo: null, reason: "" })
}

function settled({ action, text, emoji, replyTo, reason, media }: z.output<typeof decisionSchema>): Decision {
  if (action === "reply")
    return resolveSilence({ action, text, replyTo, reason, ...(media ? { media } : {}) })
  if (action === "react" && emoji !== "") return { action, emoji, to: replyTo, reason }
  if (action === "hold" && text !== "") return { action, text, reason }
  return { action: "silent", reason: reason || "It decided to stay silent." }
}

/** Turns a reply that says nothing into silence, with the reason. */
export function resolveSilence(decision: Decision): Decision {
  if (decision.action !== "reply") return decision
  const spoken = recogniseSilence(decision.text)
  if (!spoken.isSilent) return { ...decision, text: spoken.text }
  return { action: "silent", reason: decision.reason || `The model was asked, and ${spoken.why}.` }
}

/** The parts of an answer that may be a JSON object: all of it, a code block, or the text from the first brace to the last. */
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
