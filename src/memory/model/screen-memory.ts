import type { Config } from "../../config/schema.ts"
import type { Screen, ScreenContext } from "../../privacy/screen.ts"
import type { CheckedMemory } from "./memory.ts"

/** A memory without what may not be kept, and the kinds of what was taken out. */
export type ScreenedMemory =
  | { outcome: "kept"; memory: CheckedMemory; removed: string[] }
  | { outcome: "refused"; reason: string }

/** Gives back a text without what may not be kept. */
export type Clean = (text: string) => Promise<string>

/** Looks through every text of a new memory. */
export async function screenMemory(
  screen: Screen,
  memory: CheckedMemory,
  config: Config,
  said: Pick<ScreenContext, "projectRoot" | "saidIn">,
): Promise<ScreenedMemory> {
  const context: ScreenContext = { ...said, policy: config.privacy }
  const removed = new Set<string>()
  const content = await screen.check(memory.content, { ...context, files: memory.files })
  if (content.outcome === "refused") return { outcome: "refused", reason: content.reason }
  if (content.outcome === "redacted") for (const { kind } of content.findings) removed.add(kind)
  const clean = cleaner(screen, context, removed)
  const cleanName = cleaner(screen, nameContext(context, config), removed)
  const kept: Record<string, unknown> = { ...memory, content: content.text }
  for (const name of texts) kept[name] = await eachText(memory[name], clean)
  for (const name of names) kept[name] = await eachText(memory[name], cleanName)
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

/** The fields that name something: an address is no personal data there, but a secret is one everywhere. */
const names = ["files", "sessionId", "audience"] as const

/** How names are looked through: for secrets only. */
export function nameContext(context: ScreenContext, { privacy }: Config): ScreenContext {
  return { ...context, policy: { ...privacy, personal_data: "keep" } }
}

/** Cleans texts one by one and notes what it takes out; a text that may not be kept at all becomes "[removed]". */
export function cleaner(screen: Screen, context: ScreenContext, removed = new Set<string>()): Clean {
  return async (text) => {
    const screened = await screen.check(text, context)
    if (screened.outcome === "clean") return text
    for (const { kind } of screened.findings) removed.add(kind)
    return screened.outcome === "redacted" ? screened.text : "[removed]"
  }
}

/** The same value with every text in it cleaned, however deep it stands. */
export async function eachText(value: unknown, clean: Clean): Promise<unknown> {
  if (typeof value === "string") return clean(value)
  if (Array.isArray(value)) return Promise.all(value.map((one) => eachText(one, clean)))
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(
    async ([name, one]) => [await clean(name), await eachText(one, clean)] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}
