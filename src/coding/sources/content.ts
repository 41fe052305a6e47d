import { z } from "zod"

const textBlock = z.object({ text: z.string() })

/** The text of a message's content: a text, or a list of blocks of which some are text. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  const texts = content.flatMap((block) => {
    if (typeof block === "string") return [block]
    const parsed = textBlock.safeParse(block)
    return parsed.success ? [parsed.data.text] : []
  })
  return texts.join("\n")
}

/** The blocks of a content that have this form. */
export function blocksOf<T extends z.ZodType>(content: unknown, schema: T): z.output<T>[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((block) => {
    const parsed = schema.safeParse(block)
    return parsed.success ? [parsed.data] : []
  })
}

/** The text without elements of these names, such as `<system-reminder>…</system-reminder>`. */
export function withoutElements(text: string, names: readonly string[]): string {
  return names.reduce(
    (rest, name) => (rest.includes(`<${name}`) ? rest.replaceAll(element(name), "") : rest),
    text,
  )
}

function element(name: string): RegExp {
  return new RegExp(`<${name}(?:\\s[^>]*)?>[\\s\\S]*?</${name}>`, "g")
}
