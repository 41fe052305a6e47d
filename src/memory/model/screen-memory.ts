import type { Config } from "../../config/schema.ts"
import type { Screen, ScreenContext } from "../../privacy/screen.ts"
import type { ParsedMemory } from "./memory.ts"

/** A memory without secrets and personal data, and the kinds of what was removed; or why it is refused. */
export type ScreenedMemory =
  | { outcome: "accepted"; memory: ParsedMemory; removed: string[] }
  | { outcome: "refused"; reason: string }

/** Returns a text without secrets and personal data. */
export type CleanText = (text: string) => Promise<string>

/** Screens every text of a new memory. */
export async function screenMemory(
  screen: Screen,
  memory: ParsedMemory,
  config: Config,
  origin: Pick<ScreenContext, "projectRoot" | "sourceRoots">,
): Promise<ScreenedMemory> {
  const context: ScreenContext = { ...origin, policy: config.privacy }
  const removed = new Set<string>()
  const content = await screen.check(memory.content, { ...context, files: memory.files })
  if (content.outcome === "refused") return { outcome: "refused", reason: content.reason }
  if (content.outcome === "redacted") for (const { kind } of content.findings) removed.add(kind)
  const clean = createCleaner(screen, context, removed)
  const cleanName = createCleaner(screen, secretsOnly(context, config), removed)
  const screened: Record<string, unknown> = { ...memory, content: content.text }
  for (const name of texts) screened[name] = await cleanDeep(memory[name], clean)
  for (const name of names) screened[name] = await cleanDeep(memory[name], cleanName)
  return { outcome: "accepted", memory: screened as ParsedMemory, removed: [...removed].sort() }
}

/** Free-text fields besides the content. */
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

/** Fields with names and paths: an address in them is not personal data, but a secret is a secret everywhere. */
const names = ["files", "sessionId", "audience"] as const

/** The context for screening names: secrets are removed, personal data stays. */
export function secretsOnly(context: ScreenContext, { privacy }: Config): ScreenContext {
  return { ...context, policy: { ...privacy, personal_data: "keep" } }
}

/** Adds the kinds of what it removes to `removed`. A text that is refused as a whole becomes "[removed]". */
export function createCleaner(
  screen: Screen,
  context: ScreenContext,
  removed = new Set<string>(),
): CleanText {
  return async (text) => {
    const screened = await screen.check(text, context)
    if (screened.outcome === "clean") return text
    for (const { kind } of screened.findings) removed.add(kind)
    return screened.outcome === "redacted" ? screened.text : "[removed]"
  }
}

/** A copy of a JSON value with every string and key in it cleaned. */
export async function cleanDeep(value: unknown, clean: CleanText): Promise<unknown> {
  if (typeof value === "string") return clean(value)
  if (Array.isArray(value)) return Promise.all(value.map((one) => cleanDeep(one, clean)))
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(
    async ([name, one]) => [await clean(name), await cleanDeep(one, clean)] as const,
  )
  return Object.fromEntries(await Promise.all(entries))
}
