import { type Config, configSchema } from "../../../src/config/schema.ts"

/** Sections of `[chat.initiative]` as a person would write them. */
export interface Sections {
  text?: Record<string, unknown>
  discovery?: Record<string, unknown>
  media?: Record<string, unknown>
}

/** A look at the program from outside, with some settings. */
type Look = (given: Sections) => unknown

/**
 * A setting by its name with dots, a look that it changes, and two values with what is seen with each. Everything else
 * stays as the look has it.
 */
export type Turn = readonly [
  path: string,
  look: Look,
  first: readonly [value: unknown, seen: unknown],
  second: readonly [value: unknown, seen: unknown],
]

/** The sections with one setting in them. */
export function sectionsWith(path: string, value: unknown): Sections {
  return path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Sections
}

/** The whole configuration with some sections over others, key by key. */
export function configWith(base: Sections, given: Sections): Config {
  return configSchema.parse({ chat: { initiative: merged(base, given) } })
}

function merged(base: unknown, given: unknown): unknown {
  if (!isSection(base) || !isSection(given)) return given ?? base
  const names = new Set([...Object.keys(base), ...Object.keys(given)])
  return Object.fromEntries([...names].map((name) => [name, merged(base[name], given[name])]))
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Every setting of `[chat.initiative]`, by its name with dots. */
export function everySetting(
  section: unknown = configSchema.parse({}).chat.initiative,
  before = "",
): string[] {
  if (!isSection(section)) return [before]
  return Object.entries(section).flatMap(([name, value]) =>
    everySetting(value, before === "" ? name : `${before}.${name}`),
  )
}
