import { z } from "zod"
import { problemWithAddress } from "../base/net/web-address.ts"

/** How a project's own file may change a key: turn it off, set it to none, lower it, or choose a stricter value. */
export const tightenings = ["off", "none", "lower", "stricter"] as const
export type Tighten = (typeof tightenings)[number]

/** The same as sentences for the reference. */
export const projectRules: Record<Tighten, string> = {
  off: "A project may turn it off for itself.",
  lower: "A project may lower it for itself.",
  stricter: "A project may choose a stricter value for itself.",
  none: "A project may set it to none for itself.",
}

interface KeyMeta {
  /** What it does, and when to change it. */
  help: string
  /** The valid values, to complete "KEY must be …", if they do not follow from the type. */
  expects?: string
  tighten?: Tighten
}

/** One setting: its zod type with its help and its rule for project files. */
export function key<T extends z.ZodType>(type: T, { help, ...meta }: KeyMeta): T {
  return type.meta({ description: help, ...meta })
}

/** A table of settings. A table that the file leaves out gets all defaults. */
export function table<T extends z.ZodRawShape>(keys: T) {
  return z.strictObject(keys).prefault({} as z.input<z.ZodObject<T>>)
}

/** Whether a part of the schema is a setting, not a table. */
export function isSetting(type: z.ZodType): boolean {
  return z.globalRegistry.get(type)?.description !== undefined
}

/** Empty, or an http or https address without a user name or password. */
export function isWebUrl(url: string): boolean {
  return url === "" || (/^https?:\/\/./.test(url) && problemWithAddress(url) === undefined)
}

/** The address of a web server, or empty. `example` is shown in error messages. */
export function serverAddress(help: string, example?: string) {
  const expects = "empty or the address of a server without a name or password in it"
  return key(z.string().refine(isWebUrl).default(""), {
    help,
    expects: example === undefined ? expects : `${expects}, such as ${example}`,
  })
}

/** A text that matches a pattern, which must allow the default. */
export function matching(pattern: RegExp, fallback = "") {
  return z.string().regex(pattern).default(fallback)
}

/** The quiet hours of a table: from when, until when, and in which time zone. */
export function quietHours(help: { start: string; end: string; zone: string }) {
  return {
    quiet_start: key(matching(timeOfDay), { help: help.start, expects: "a time such as 22:00, or empty" }),
    quiet_end: key(matching(timeOfDay), { help: help.end, expects: "a time such as 07:30, or empty" }),
    time_zone: key(z.string().refine(isTimeZone).default(""), {
      help: help.zone,
      expects: "a time zone such as Europe/Berlin, or empty",
    }),
  }
}

/** Empty, or the name of an environment variable. */
export const variableName = /^([A-Za-z_]\w*)?$/

/** Empty, MODEL or PROVIDER/MODEL. Names of models at OpenRouter contain slashes themselves. */
export const modelName = /^([\w.:@-]+(\/[\w.:@-]+)*)?$/

/** Empty, or HH:MM. */
const timeOfDay = /^(([01]\d|2[0-3]):[0-5]\d)?$/

/** Empty, or a time zone that this machine knows. */
export function isTimeZone(zone: string): boolean {
  if (zone === "") return true
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}
