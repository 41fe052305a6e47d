import { stripInvisible } from "../../base/text/invisible.ts"

const thinking = /<(think|thinking|reasoning|scratchpad)\b[^>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi
const answerTag = /<\/?(?:final|answer|response|output|reply)\b[^>]*>/gi
const entities: Record<string, string> = { "#91": "[", "#93": "]", lt: "<", gt: ">", quot: '"', amp: "&" }

/** The answer of a model without its thinking, answer tags and invisible characters. */
export function spokenText(raw: string): string {
  return stripInvisible(raw.replaceAll("\r\n", "\n"))
    .replaceAll(thinking, "")
    .replaceAll(answerTag, "")
    .trim()
}

/** The same for comparing, with full-width forms, entities and escapes resolved. */
export function comparable(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/&(#91|#93|lt|gt|quot|amp);/g, (_, name: string) => entities[name] ?? "")
    .replaceAll(/\\([_[\](){}*])/g, "$1")
    .trim()
}

const openers = "\"'`“”„‘’‚«»‹›*_~"
const fenceLine = /^(?:```|~~~)[\w-]*$/
const leadingMark = /^(?:>|#{1,6}\s|[-*+]\s|\p{Extended_Pictographic}\uFE0F?)\s*/u

/** A text without fences, quotation marks, emphasis, list marks and final punctuation around it. */
export function unwrapped(text: string): string {
  let inner = text
  for (;;) {
    const next = trimmed(withoutFence(inner)).replace(leadingMark, "")
    if (next === inner) return inner
    inner = next
  }
}

function withoutFence(text: string): string {
  const lines = text.trim().split("\n")
  if (!fenceLine.test(lines[0]?.trim() ?? "")) return text.trim()
  const isClosed = lines.length > 1 && fenceLine.test(lines.at(-1)?.trim() ?? "")
  return lines
    .slice(1, isClosed ? -1 : undefined)
    .join("\n")
    .trim()
}

function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isEdge(text[start])) start += 1
  while (end > start && (isEdge(text[end - 1]) || isPunctuation(text[end - 1]))) end -= 1
  return text.slice(start, end)
}

function isEdge(character = ""): boolean {
  return openers.includes(character) || /\s/.test(character)
}

function isPunctuation(character = ""): boolean {
  return ".!…。！".includes(character)
}
