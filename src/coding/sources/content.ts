import { z } from "zod"

/** The blocks that Anthropic's messages are made of, and all that were made after them. */
const textBlock = z.object({ type: z.literal("text"), text: z.string() })
export const toolUse = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.unknown().optional(),
})
export const toolResult = z.object({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
})

const anyText = z.object({ text: z.string() })

/** The text of a message's content: a text, or a list of blocks of which some are text. */
export function textOf(content: unknown): string {
  return textsOf(content).join("\n")
}

/** The same, each block by itself. */
export function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((block) => {
    if (typeof block === "string") return [block]
    const parsed = anyText.safeParse(block)
    return parsed.success ? [parsed.data.text] : []
  })
}

/** What is said in a content: a text, or the blocks that are text and nothing else. */
export function saidIn(content: unknown): string[] {
  return typeof content === "string" ? [content] : blocksOf(content, textBlock).map(({ text }) => text)
}

/** The blocks of a content that have this form. */
export function blocksOf<T extends z.ZodType>(content: unknown, schema: T): z.output<T>[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((block) => {
    const parsed = schema.safeParse(block)
    return parsed.success ? [parsed.data] : []
  })
}
