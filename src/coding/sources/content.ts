import { z } from "zod"

const textBlock = z.object({ text: z.string() })

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
    const parsed = textBlock.safeParse(block)
    return parsed.success ? [parsed.data.text] : []
  })
}

/** The blocks of a content that have this form. */
export function blocksOf<T extends z.ZodType>(content: unknown, schema: T): z.output<T>[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((block) => {
    const parsed = schema.safeParse(block)
    return parsed.success ? [parsed.data] : []
  })
}
