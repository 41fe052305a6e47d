import { memoryTypes } from "../../model/kinds.ts"
import { notesTool, ownTool } from "../../model/note.ts"
import { everywhere, markdownTitle, readMark, singleSessions, withoutMark } from "../markdown-marks.ts"
import { blocksOf } from "./blocks.ts"
import { emptyFile, type ParsedFile, type Redact, sourceIdOf, tagFrom } from "./parsed-file.ts"

/** Titles that name the file, not what is in it. */
const fileTitle = /^(claude|memory|agents|gemini)(\.local)?(\.md)?$/i

/**
 * Notes are trusted less than what a user says, since their date is unknown. They replace one another, but only conflict
 * with what the user said.
 */
const source = "observed" as const

/**
 * Reads notes such as CLAUDE.md and MEMORY.md: each bullet and each paragraph is a memory, tagged with the headings above
 * it. `project` becomes part of the source id, so that two projects may have the same note.
 */
export function readMarkdown(lines: readonly string[], project: string, redact: Redact): ParsedFile {
  const file = emptyFile()
  for (const { line, text, headings } of blocksOf(lines)) {
    const topics = headings.filter((heading) => !fileTitle.test(heading.trim()))
    const tags = topics.flatMap((heading) => tagFrom(redact, heading) ?? []).slice(-50)
    const sourceId = sourceIdOf(notesTool, project, text)
    file.memories.push({ position: `line ${line}`, sourceId, fields: { content: text, source, tags } })
  }
  return file
}

/** Whether a text is what `export --format markdown` wrote. */
export function isOwnMarkdown(lines: readonly string[]): boolean {
  return lines.find((line) => line.trim() !== "")?.trim() === markdownTitle
}

/** Reads our own Markdown export: text, type, tags, audience and project. Only the JSON export has the rest. */
export function readOwnMarkdown(
  lines: readonly string[],
  projectOf: (name: string) => string,
): ParsedFile & { ids: Map<string, string> } {
  const file = { ...emptyFile(), ids: new Map<string, string>() }
  const at = { section: "", type: "fact" as (typeof memoryTypes)[number] }
  let item: { line: number; lines: string[] } | undefined
  for (const [index, raw] of lines.entries()) {
    if (item) item.lines.push(raw.replace(/^ {2}/, ""))
    else if (raw.startsWith("- ")) item = { line: index + 1, lines: [raw.slice(2)] }
    else enterSection(at, raw)
    const mark = readMark(item?.lines.at(-1) ?? "")
    if (item === undefined || mark === undefined) continue
    addOwn(file, { ...item, ...mark, ...at }, projectOf)
    item = undefined
  }
  if (item) file.problems.push({ position: `line ${item.line}`, reason: "its end with the id is missing" })
  return file
}

function enterSection(at: { section: string; type: (typeof memoryTypes)[number] }, raw: string): void {
  if (raw.startsWith("## ")) at.section = raw.slice(3)
  if (raw.startsWith("### ")) at.type = memoryTypes.find((type) => type === raw.slice(4)) ?? "fact"
}

interface OwnItem {
  line: number
  lines: string[]
  id: string
  audience: string | undefined
  section: string
  type: (typeof memoryTypes)[number]
}

function addOwn(
  file: ParsedFile & { ids: Map<string, string> },
  { line, lines, id, audience, section, type }: OwnItem,
  projectOf: (name: string) => string,
): void {
  const position = `line ${line}`
  if (section === singleSessions) {
    file.problems.push({
      position,
      reason: "it belongs to one session; only the JSON export can restore it",
    })
    return
  }
  const whole = withoutMark(lines.join("\n"))
  const tail = /((?: #[^\s#]+)*)$/.exec(whole)?.[1] ?? ""
  const content = whole.slice(0, whole.length - tail.length)
  const tags = tail.split(" #").filter((tag) => tag !== "")
  const project = section === everywhere || section === "" ? {} : { project: projectOf(section) }
  const sourceId = `${ownTool}:${id}`
  file.ids.set(sourceId, id)
  const only = audience === undefined ? {} : { audience }
  file.memories.push({ position, sourceId, fields: { content, type, source, tags, ...only, ...project } })
}
