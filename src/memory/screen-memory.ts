import type { Config } from "../config/schema.ts"
import type { CheckedMemory } from "./memory.ts"
import type { Screen, ScreenContext } from "./privacy/screen.ts"

/** A memory without what may not be kept, and the kinds of what was taken out. */
export type ScreenedMemory =
  | { outcome: "kept"; memory: CheckedMemory; removed: string[] }
  | { outcome: "refused"; reason: string }

/** Looks through every text of a new memory. */
export async function screenMemory(
  screen: Screen,
  memory: CheckedMemory,
  config: Config,
  root: string | null,
): Promise<ScreenedMemory> {
  const context: ScreenContext = { projectRoot: root, files: memory.files, policy: config.privacy }
  const removed = new Set<string>()
  const content = await screen.check(memory.content, context)
  if (content.outcome === "refused") return { outcome: "refused", reason: content.reason }
  if (content.outcome === "redacted") for (const { kind } of content.findings) removed.add(kind)
  const clean = async (text: string): Promise<string> => {
    const screened = await screen.check(text, { ...context, files: [] })
    if (screened.outcome === "clean") return text
    for (const { kind } of screened.findings) removed.add(kind)
    return screened.outcome === "redacted" ? screened.text : "[removed]"
  }
  const kept: Record<string, unknown> = { ...memory, content: content.text }
  for (const name of texts) {
    const value = memory[name]
    if (typeof value === "string") kept[name] = await clean(value)
    else if (value !== undefined) kept[name] = await Promise.all(value.map(clean))
  }
  return { outcome: "kept", memory: kept as CheckedMemory, removed: [...removed].sort() }
}

/** The fields beside the content that may hold anything. */
const texts = [
  "context",
  "reason",
  "steps",
  "prerequisites",
  "warnings",
  "triggers",
  "tags",
  "season",
  "sourceId",
] as const
