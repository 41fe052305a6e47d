import { memoryTypes } from "../../model/kinds.ts"
import { notesTool, ownTool } from "../../model/note.ts"
import { everywhere, markdownTitle, readMark, singleSessions, withoutMark } from "../readable.ts"
import { blocksOf } from "./blocks.ts"
import { emptyForeign, type Foreign, type Redact, sourceIdOf, tagFrom } from "./foreign.ts"

/** Titles that name the file, not what is in it. */
const fileTitle = /^(claude|memory|agents|gemini)(\.local)?(\.md)?$/i

/**
 * How far notes are believed: less than what a person says directly, since nobody knows when they were written. They
 * replace one another, but stand beside what was said as a conflict.
 */
const source = "observed" as const

/**
 * Reads notes such as CLAUDE.md and MEMORY.md: each bullet and each paragraph is a memory, the headings above it are
 * its tags. `project` tells the same note of two projects apart.
 */
export function readMarkdown(lines: readonly string[], project: string, redact: Redact): Foreign {
  const foreign = emptyForeign()
  for (const { line, text, headings } of blocksOf(lines)) {
    const telling = headings.filter((heading) => !fileTitle.test(heading.trim()))
    const tags = telling.flatMap((heading) => tagFrom(redact, heading) ?? []).slice(-50)
    const sourceId = sourceIdOf(notesTool, project, text)
    foreign.memories.push({ position: `line ${line}`, sourceId, given: { content: text, source, tags } })
  }
  return foreign
}

/** Whether a text is what `export --format markdown` wrote. */
export function isOwnMarkdown(lines: readonly string[]): boolean {
  return lines.find((line) => line.trim() !== "")?.trim() === markdownTitle
}

/** Reads back a readable export: text, type, tags, audience and project; everything else only the lossless one has. */
export function readOwnMarkdown(
  lines: readonly string[],
  projectOf: (name: string) => string,
): Foreign & { ids: Map<string, string> } {
  const foreign = { ...emptyForeign(), ids: new Map<string, string>() }
  const at = { section: "", type: "fact" as (typeof memoryTypes)[number] }
  let held: { line: number; lines: string[] } | undefined
  for (const [index, raw] of lines.entries()) {
    if (held) held.lines.push(raw.replace(/^ {2}/, ""))
    else if (raw.startsWith("- ")) held = { line: index + 1, lines: [raw.slice(2)] }
    else enterSection(at, raw)
    const mark = readMark(held?.lines.at(-1) ?? "")
    if (held === undefined || mark === undefined) continue
    addOwn(foreign, { ...held, ...mark, ...at }, projectOf)
    held = undefined
  }
  if (held) foreign.problems.push({ position: `line ${held.line}`, reason: "its end with the id is missing" })
  return foreign
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
  foreign: Foreign & { ids: Map<string, string> },
  { line, lines, id, audience, section, type }: OwnItem,
  projectOf: (name: string) => string,
): void {
  const position = `line ${line}`
  if (section === singleSessions) {
    foreign.problems.push({
      position,
      reason: "it belongs to one session; only the lossless export can bring it back",
    })
    return
  }
  const whole = withoutMark(lines.join("\n"))
  const tail = /((?: #[^\s#]+)*)$/.exec(whole)?.[1] ?? ""
  const content = whole.slice(0, whole.length - tail.length)
  const tags = tail.split(" #").filter((tag) => tag !== "")
  const project = section === everywhere || section === "" ? {} : { project: projectOf(section) }
  const sourceId = `${ownTool}:${id}`
  foreign.ids.set(sourceId, id)
  const only = audience === undefined ? {} : { audience }
  foreign.memories.push({ position, sourceId, given: { content, type, source, tags, ...only, ...project } })
}
