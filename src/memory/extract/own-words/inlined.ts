import { removeRanges } from "../../../base/text/elements.ts"

/** A message without what tools insert: elements, code blocks, contents of files, the state of an editor. */
export function withoutInlined(text: string): string {
  return withoutElementsOfAnyName(withoutSections(afterRequestMark(text)))
    .replaceAll(/```[\s\S]*?(?:```|$)/g, "\n")
    .replaceAll(/~~~[\s\S]*?(?:~~~|$)/g, "\n")
    .replaceAll(/\[\[[^\]]*(?:\]\]|$)/g, " ")
    .replaceAll(/\[(?:Pasted text|Image|File|Attachment)[^\]\n]{0,80}\]/gi, " ")
}

/** How editors mark the user's own part of a message: "## My request for Codex:". */
const requestMark = /^#{1,3} (?:My request|User (?:request|query|message))\b[^\n]{0,40}:?[ \t]*$/gim

function afterRequestMark(text: string): string {
  const last = [...text.matchAll(requestMark)].at(-1)
  if (last) return text.slice(last.index + last[0].length)
  return /^\s*# (?:Context from my IDE|Files mentioned by the user)/i.test(text) ? "" : text
}

/** Where the contents of files begin and end; without an end mark they reach to the end. */
const sectionBegin =
  /^[ \t]*(?:-{2,} ?(?:Content|Contents|Begin|Start)\b[^\n]{0,80}|(?:Content|Contents) (?:from|of) (?:the file )?@?[^\n]{1,200}:?|(?:Called|Result of calling) the \w{1,30} tool\b[^\n]{0,300}|(?:The )?(?:following|attached) files? (?:is|are|was|were)\b[^\n]{0,120}|(?:The user|User) (?:opened|selected|attached)\b[^\n]{0,200})[ \t]*$/gim
const sectionEnd = /^[ \t]*-{2,} ?(?:End|Finish)\b[^\n]{0,80}$/gim

function withoutSections(text: string): string {
  const begin = text.search(sectionBegin)
  if (begin === -1) return text
  const last = [...text.matchAll(sectionEnd)].at(-1)
  const end = last && last.index > begin ? last.index + last[0].length : text.length
  return `${text.slice(0, begin)}\n\n${text.slice(end)}`
}

const tags = /<(\/?)([a-z][\w:-]{0,60})(?:\s[^<>]{0,300})?(\/?)>/gi

interface Tag {
  name: string
  opens: boolean
  start: number
  end: number
}

/** Removes elements of any name in one pass; one that opens a line and never closes reaches to the end. */
function withoutElementsOfAnyName(text: string): string {
  const found = tagsIn(text)
  if (found.length === 0) return text
  const lastClose = new Map(found.flatMap((tag, index) => (tag.opens ? [] : [[tag.name, index] as const])))
  const ranges: { start: number; end: number }[] = []
  for (let index = 0; index < found.length; index += 1) {
    const tag = found[index]
    if (!tag?.opens) continue
    const isClosed = (lastClose.get(tag.name) ?? -1) > index
    if (isClosed) {
      index = closeOf(found, index)
      ranges.push({ start: tag.start, end: found[index]?.end ?? text.length })
    } else if (beginsLine(text, tag.start)) {
      ranges.push({ start: tag.start, end: text.length })
      break
    }
  }
  return removeRanges(text, ranges)
}

function tagsIn(text: string): Tag[] {
  // Each replacement has one character, so that positions stay the same.
  const plain = text
    .replaceAll(/[\uFF1C\uFE64]/g, "<")
    .replaceAll(/[\uFF1E\uFE65]/g, ">")
    .replaceAll("\uFF0F", "/")
  return Array.from(plain.matchAll(tags)).flatMap((match) => {
    const [whole, slash, name = "", alone] = match
    if (alone === "/") return []
    return [
      { name: name.toLowerCase(), opens: slash === "", start: match.index, end: match.index + whole.length },
    ]
  })
}

/** The closing tag of an element, counting nested ones; the last of its name if they do not match. */
function closeOf(found: readonly Tag[], from: number): number {
  const { name } = found[from] ?? { name: "" }
  let depth = 0
  let last = from
  for (let index = from; index < found.length; index += 1) {
    const tag = found[index]
    if (tag?.name !== name) continue
    depth += tag.opens ? 1 : -1
    if (!tag.opens) last = index
    if (depth === 0) return index
  }
  return last
}

function beginsLine(text: string, at: number): boolean {
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, at).trim() === ""
}
