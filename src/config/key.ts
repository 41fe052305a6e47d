import { z } from "zod"
import { problemWithAddress } from "../base/net/web-address.ts"

/** How a project's own file may change a key: switch it off, set it to none, lower it, choose something stricter. */
export const tightenings = ["off", "none", "lower", "stricter"] as const
export type Tighten = (typeof tightenings)[number]

/** What a project's own file may do with a key that it may change. */
export const projectRules: Record<Tighten, string> = {
  off: "A project may switch it off for itself.",
  lower: "A project may lower it for itself.",
  stricter: "A project may choose something stricter for itself.",
  none: "A project may set it to none for itself.",
}

interface KeyMeta {
  /** What it does, and who would turn it when. */
  help: string
  /** What a right value looks like, to complete the sentence "KEY must be …", where its type does not say it. */
  expects?: string
  tighten?: Tighten
}

/** One configurable key: its zod type with its help and its rule for project files. */
export function key<T extends z.ZodType>(type: T, { help, ...meta }: KeyMeta): T {
  return type.meta({ description: help, ...meta })
}

/** A table of keys; one that is left out has all its defaults. */
export function table<T extends z.ZodRawShape>(keys: T) {
  return z.strictObject(keys).prefault({} as z.input<z.ZodObject<T>>)
}

/** Whether a part of the schema is a key, and no table of keys. */
export function isSetting(type: z.ZodType): boolean {
  return z.globalRegistry.get(type)?.description !== undefined
}

/** Empty, or the address of a web server without a name or password in it. */
export function isWebUrl(url: string): boolean {
  return url === "" || (/^https?:\/\/./.test(url) && problemWithAddress(url) === undefined)
}

/** Empty, or a name as shells take it. */
export const variableName = /^([A-Za-z_]\w*)?$/

/** Empty, MODEL or WAY/MODEL; models have slashes in their own names at OpenRouter. */
export const modelName = /^([\w.:@-]+(\/[\w.:@-]+)*)?$/

/** Empty, or HH:MM. */
export const timeOfDay = /^(([01]\d|2[0-3]):[0-5]\d)?$/

/** Empty, or a time zone that the machine knows. */
export function isTimeZone(zone: string): boolean {
  if (zone === "") return true
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}
