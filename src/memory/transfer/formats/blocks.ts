import { endsOpen, fullText, introducesList, type OpenBlock } from "./full-text.ts"

/** One bullet or paragraph of a Markdown text. */
export interface Block {
  /** The number of its first line. */
  line: number
  /** Its text, with the lead-in, the parent bullet and the headings that its meaning depends on. */
  text: string
  /** The headings above it, the outermost first. */
  headings: string[]
}

interface ReaderState {
  blocks: OpenBlock[]
  headings: { level: number; text: string }[]
  /** The block that more lines may belong to. */
  open: OpenBlock | undefined
  /** The current bullet and those it is nested in, the outermost first. */
  bullets: OpenBlock[]
  /** The paragraph that introduces the current list, or may introduce the next one. */
  lead: OpenBlock | undefined
  /** The open code block. */
  fence: { marks: string; indent: number } | undefined
  inComment: boolean
}

/**
 * Splits Markdown into its bullets and paragraphs, without front matter, comments and lines that only include another
 * file (@file). A code block belongs to the block before it.
 */
export function blocksOf(lines: readonly string[]): Block[] {
  const state: ReaderState = {
    blocks: [],
    headings: [],
    open: undefined,
    bullets: [],
    lead: undefined,
    fence: undefined,
    inComment: false,
  }
  const begin = frontMatterEnd(lines)
  lines.slice(begin).forEach((line, index) => {
    readLine(state, line, begin + index + 1)
  })
  const blocks = state.blocks.filter(({ lines: own }) => own.join("").trim() !== "")
  const parents = new Set(blocks.map(({ parent }) => parent))
  return blocks.flatMap((block) => {
    const text = fullText(block, parents.has(block))
    return text === "" ? [] : [{ line: block.line, text, headings: block.headings }]
  })
}

/** The number of lines of front matter (between ---) at the beginning. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trim() !== "---") return 0
  const end = lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line))
  return end === -1 ? 0 : end + 1
}

function readLine(state: ReaderState, raw: string, line: number): void {
  if (state.fence !== undefined) readCode(state, raw)
  else readOutside(state, withoutComments(state, raw).trimEnd(), line)
}

/** Reads a line that is not code. */
function readOutside(state: ReaderState, text: string, line: number): void {
  const fence = /^\s*(```+|~~~+)/.exec(text)?.[1]
  const level = /^ {0,3}(#{1,6})\s/.exec(text)?.[1]?.length
  if (fence !== undefined) beginCode(state, text, fence, line)
  else if (text === "") state.open = undefined
  else if (level !== undefined) beginSection(state, level, titleOf(text))
  else if (/^ {0,3}(=+|-+)$/.test(text) && isUnderlined(state)) underline(state, text)
  else if (/^ {0,3}([-*_])( *\1){2,}$/.test(text)) endList(state)
  else readText(state, text, line)
}

/** A heading's text without the # marks around it. */
function titleOf(heading: string): string {
  let title = heading.trim().replace(/^#+/, "")
  while (title.endsWith("#")) title = title.slice(0, -1)
  return title.trim()
}

function readText(state: ReaderState, text: string, line: number): void {
  const bullet = /^(\s*)(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(text)
  const plain = text.replace(/^\s*>\s?/, "").trim()
  if (bullet) beginBullet(state, widthOf(bullet[1] ?? ""), bullet[2] ?? "", line)
  else if (!isReference(plain)) readPlain(state, plain, widthOf(/^\s*/.exec(text)?.[0] ?? ""), line)
}

/** Whether a line only includes another file. */
function isReference(text: string): boolean {
  return /^@\S+$/.test(text)
}

/** A line continues the open block, belongs to a bullet it is indented under, or begins a paragraph. */
function readPlain(state: ReaderState, text: string, indent: number, line: number): void {
  if (state.open === undefined) {
    state.open = state.bullets.findLast((bullet) => bullet.indent < indent)
    if (state.open === undefined) state.bullets = []
  }
  if (state.open === undefined) {
    const { lead } = state
    const continues = lead !== undefined && state.blocks.at(-1) === lead && endsOpen(lead)
    state.open = opened(state, line, -1, continues ? lead : undefined)
    state.lead = state.open
  }
  state.open.lines.push(text)
}

function widthOf(space: string): number {
  return space.replaceAll("\t", "    ").length
}

function opened(state: ReaderState, line: number, indent: number, parent?: OpenBlock): OpenBlock {
  const headings = state.headings.map(({ text }) => text)
  const block: OpenBlock = { line, lines: [], headings, indent, parent, codeAt: undefined }
  state.blocks.push(block)
  return block
}

function beginBullet(state: ReaderState, indent: number, text: string, line: number): void {
  state.bullets = state.bullets.filter((bullet) => bullet.indent < indent)
  const parent = state.bullets.at(-1) ?? leadOfList(state)
  if (isReference(text.trim())) {
    state.open = undefined
    return
  }
  const bullet = opened(state, line, indent, parent)
  bullet.lines.push(text.trim())
  state.bullets.push(bullet)
  state.open = bullet
}

/** The paragraph that introduces the list of a new bullet. */
function leadOfList(state: ReaderState): OpenBlock | undefined {
  const { lead, open } = state
  if (lead === undefined || state.blocks.at(-1) !== lead) return lead
  state.lead = introducesList(lead, open === lead) ? lead : undefined
  return state.lead
}

function endList(state: ReaderState): void {
  state.open = undefined
  state.bullets = []
  state.lead = undefined
}

function beginSection(state: ReaderState, level: number, text: string): void {
  state.headings = [...state.headings.filter((heading) => heading.level < level), { level, text }]
  endList(state)
}

/** Whether the line before is a paragraph of one line, which an underline turns into a heading. */
function isUnderlined({ open }: ReaderState): boolean {
  return open !== undefined && open.indent === -1 && open.lines.length === 1
}

function underline(state: ReaderState, text: string): void {
  const title = state.blocks.pop()
  beginSection(state, text.trim().startsWith("=") ? 1 : 2, title?.lines[0] ?? "")
}

/** A code block belongs to the block before it, if that is in the same section. */
function beginCode(state: ReaderState, text: string, fence: string, line: number): void {
  const before = state.open ?? state.blocks.at(-1)
  const headings = state.headings.map((heading) => heading.text).join("\n")
  const follows = before !== undefined && before.headings.join("\n") === headings
  state.open = follows ? before : opened(state, line, -1)
  state.open.codeAt ??= state.open.lines.length
  state.open.lines.push(text.trim())
  state.fence = { marks: fence, indent: text.length - text.trimStart().length }
}

function readCode(state: ReaderState, raw: string): void {
  const { marks, indent } = state.fence ?? { marks: "", indent: 0 }
  const outer = Math.min(indent, raw.length - raw.trimStart().length)
  state.open?.lines.push(raw.slice(outer).trimEnd())
  const text = raw.trim()
  if (!text.startsWith(marks) || text.replaceAll(marks[0] ?? "", "") !== "") return
  state.fence = undefined
  state.open = undefined
}

/** The line without comments, which may span several lines. */
function withoutComments(state: ReaderState, raw: string): string {
  let text = raw
  if (state.inComment) {
    const end = text.indexOf("-->")
    if (end === -1) return ""
    state.inComment = false
    text = text.slice(end + 3)
  }
  let kept = ""
  for (;;) {
    const begin = text.indexOf("<!--")
    if (begin === -1) return kept + text
    const end = text.indexOf("-->", begin + 4)
    kept += text.slice(0, begin)
    if (end === -1) break
    text = text.slice(end + 3)
  }
  state.inComment = true
  return kept
}
