import { z } from "zod"

/** Content blocks of Anthropic's message format, which other tools use too. */
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

/** The text of a message's content: a string, or a list of blocks. */
export function textOf(content: unknown): string {
  return textsOf(content).join("\n")
}

/** The texts of a content, one for each block with a text. */
export function textsOf(content: unknown): string[] {
  if (typeof content === "string") return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((block) => {
    if (typeof block === "string") return [block]
    return anyText.safeParse(block).data?.text ?? []
  })
}

/** The texts of a content's blocks of type text; a string counts as one. */
export function textBlocksOf(content: unknown): string[] {
  return typeof content === "string" ? [content] : blocksOf(content, textBlock).map(({ text }) => text)
}

/** The blocks of a content that fit a schema. */
export function blocksOf<T extends z.ZodType>(content: unknown, schema: T): z.output<T>[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((block) => {
    const parsed = schema.safeParse(block)
    return parsed.success ? [parsed.data] : []
  })
}
