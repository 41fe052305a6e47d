import type { z } from "zod"

/** How a project's own file may change a key: switch it off, set it to none, lower it, choose something stricter. */
export const tightenings = ["off", "none", "lower", "stricter"] as const
export type Tighten = (typeof tightenings)[number]

interface KeyMeta {
  /** What it does, and who would turn it when. */
  help: string
  /** What a right value looks like, to complete the sentence "KEY must be …". */
  expects: string
  tighten?: Tighten
}

/** One configurable key: its zod type with its help and its rule for project files. */
export function key<T extends z.ZodType>(type: T, meta: KeyMeta): T {
  return type.meta({ description: meta.help, expects: meta.expects, tighten: meta.tighten })
}
