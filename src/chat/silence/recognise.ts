import { isChatterLine, isToolCall } from "./chatter.ts"
import { isErrorText } from "./error-text.ts"
import { isSentinel, plainWord, silentAlone, silentInBrackets } from "./silent-words.ts"
import { comparable, spokenText, unwrapped } from "./unwrap.ts"

/** Whether a model's text is silence, and why; or the text without thinking and status lines. */
export type Spoken = { isSilent: true; why: SilenceReason } | { isSilent: false; text: string }
type SilenceReason =
  | "it said that it has nothing to say"
  | "it said nothing"
  | "it gave an error instead of an answer"
  | "it gave only tool calls"

/**
 * Decides whether the raw text of a model is silence or a reply. Text that only mentions a sentinel, in prose or in code,
 * is a reply.
 */
export function recogniseSilence(raw: string): Spoken {
  const spoken = spokenText(raw)
  if (isToolCall(spoken)) return { isSilent: true, why: "it gave only tool calls" }
  const text = withoutChatter(spoken)
  if (text === "" && spoken !== "") return { isSilent: true, why: "it gave only tool calls" }
  const whole = comparable(text)
  const plain = edgesOf(whole)
  if (saysNothing(whole)) return { isSilent: true, why: "it said nothing" }
  if (isSilentWhole(plain) || endsSilent(plain) || beginsSilent(plain)) {
    return { isSilent: true, why: "it said that it has nothing to say" }
  }
  if (isErrorText(plain)) return { isSilent: true, why: "it gave an error instead of an answer" }
  return { isSilent: false, text }
}

/** Sentinels are at the start or end: only this much of a long text is matched, so that its length costs little. */
const edge = 400

function edgesOf(text: string): string {
  return text.length <= 2 * edge ? text : `${text.slice(0, edge)}\n(and so on)\n${text.slice(-edge)}`
}

function withoutChatter(text: string): string {
  const lines = text.split("\n")
  return lines
    .filter((line) => !isChatterLine(line))
    .join("\n")
    .trim()
}

/** Nothing but quotation marks, dots, dashes and brackets. */
function saysNothing(text: string): boolean {
  return /^[\s.…·"'`“”„‘’«»*_~()[\]{}<>\p{Pd}]*$/u.test(text.replaceAll(/^(?:```|~~~)[\w-]*$/gm, ""))
}

const opening = "[\\[({<【「『〔〈《]"
const closing = "[\\])}>】」』〕〉》]"
const bracketed = new RegExp(
  `^(?:${opening}\\s*)+([^\\[\\](){}<>【】「」『』\\n]{1,40}?)\\s*/?(?:\\s*${closing})+$`,
  "u",
)
const halfBracketed = new RegExp(`^(?:${opening}\\s*(.{1,20})|(.{1,20}?)\\s*${closing})$`, "u")

/** One sentinel, or several, and nothing else. */
function isSilentWhole(text: string): boolean {
  const inner = unwrapped(text)
  if (isSilentToken(inner)) return true
  if (/[[\](){}<>]/.test(inner)) {
    const parts = inner.split(/(?<=[\])}>】」])\s*(?=[[({<【「])/u)
    return parts.length > 1 && parts.every((part) => part.startsWith("</") || isSilentToken(unwrapped(part)))
  }
  return silentAlone.has(plainWord(inner)) || isSentinel(inner)
}

function isSilentToken(text: string): boolean {
  const inside = bracketed.exec(text)?.[1]
  if (inside !== undefined) return silentInBrackets.has(plainWord(inside)) || isSentinel(inside)
  const half = halfBracketed.exec(text)
  if (half) return isSentinel(half[1] ?? half[2] ?? "")
  return isSentinel(text) || silentAlone.has(plainWord(text))
}

const listMark = /^\s*(?:[-*+]|\d+[.)])\s/
/** A token at the end of a line: in brackets, or bare as prompts write it. */
const lastToken = new RegExp(
  `(?<before>^|.*?)(?<token>(?:${opening}{1,2}\\s*[^\\[\\](){}<>【】]{2,40}?\\s*${closing}{1,2}|(?<![\\p{L}\\p{N}_@/-])(?:NO_REPLY|HEARTBEAT_OK))(?<after>[\\s"'\`“”*_.!…]*))$`,
  "su",
)
/** The end of a sentence, an arrow, or a label such as "Decision:" right before the sentinel. */
const apart = /(?:[.!?…。！？;；)]|→|⇒|->|=>|—|–)[\s"'`“*_]*$/u
const label = /^[\s*_#>-]*\p{L}[\p{L} ]{0,20}[:：][\s"'`“*_]*$/u

/** Whether a text ends with a sentinel after prose or status lines. */
function endsSilent(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const block = lastBlock(text)
  if (block !== undefined) return isSilentWhole(block)
  const last = lines.at(-1) ?? ""
  const previous = lines.at(-2)
  if (previous !== undefined && isSilentWhole(last) && !/^[\p{Ll}\p{Lu}]+$/u.test(last.trim())) {
    return !(listMark.test(last) && listMark.test(previous))
  }
  const { before = "", token = "", after = "" } = lastToken.exec(last)?.groups ?? {}
  if (token === "" || !isSilentToken(unwrapped(token))) return false
  if (apart.test(before) || label.test(before)) return true
  return after.trim() === "" && /^\[(?:NO_REPLY|SKIP)\]$/.test(token.trim()) && !/["'`“]$/.test(before)
}

/** The content of a code block at the end of a text. */
function lastBlock(text: string): string | undefined {
  return /(?:^|\n)(?:```|~~~)[\w-]*\n((?:(?!\n(?:```|~~~))[\s\S])*)\n(?:```|~~~)\s*$/.exec(text)?.[1]
}

const firstToken = new RegExp(
  `^[\\s"'\`“*_>#]*(?<token>${opening}{1,2}\\s*[^\\[\\](){}<>【】\\n]{2,40}?\\s*${closing}{1,2}|(?:NO_REPLY|HEARTBEAT_OK)(?![\\p{L}\\p{N}_@]))["'\`”*_]*(?<after>[\\s\\S]*)$`,
  "u",
)
/** Words after a sentinel that make it the subject of the sentence. */
const goesOn =
  /^\s+(?:is|are|was|were|isn't|means?|meant|stands?|tells?|says?|marks?|will|would|should|shall|can|could|may|must|has|had|does|never|and|or|in|as|ist|heißt|bedeutet|est|signifie|es|significa|é|è)\b/iu

/** Whether a text begins with a sentinel, followed by a reason. */
function beginsSilent(text: string): boolean {
  const { token, after = "" } = firstToken.exec(text)?.groups ?? {}
  if (token === undefined || !isSilentToken(token)) return false
  if (/^[ \t]*(?:\n|$)/.test(after)) return true
  if (goesOn.test(after) || /^\(/.test(after)) return false
  const isBare = /^[\p{L}_]/u.test(token)
  return !isBare || /^\s*(?:[:;.,!]|\p{Pd}|→)/u.test(after)
}
