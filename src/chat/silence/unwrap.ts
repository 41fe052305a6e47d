import { withoutUnseen } from "../../base/text/unseen.ts"

const thinking = /<(think|thinking|reasoning|scratchpad)\b[^>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi
const answerTag = /<\/?(?:final|answer|response|output|reply)\b[^>]*>/gi
const entities: Record<string, string> = { "#91": "[", "#93": "]", lt: "<", gt: ">", quot: '"', amp: "&" }

/** What a model wants to say: without its thinking, the tags around its answer and characters that nobody sees. */
export function spokenPart(raw: string): string {
  return withoutUnseen(raw.replaceAll("\r\n", "\n")).replaceAll(thinking, "").replaceAll(answerTag, "").trim()
}

/** The same for comparing: full-width forms, entities and escapes as the plain characters they stand for. */
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

/** A text without what only wraps it: fences, quotation marks, emphasis, marks of lists, final punctuation. */
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
