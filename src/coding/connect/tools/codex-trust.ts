import { realpathSync } from "node:fs"
import { z } from "zod"
import { tomlValues } from "../../../config/toml.ts"
import { readText } from "../files.ts"
import { ownHooksIn } from "../settings/json-hooks.ts"
import { parseJsonTree, plainValue } from "../settings/json-tree.ts"

interface CodexFiles {
  json: string
  toml: string
  /** The file in which Codex stores which hooks the user trusts. */
  state: string
}

const stateSchema = z.object({
  hooks: z.object({ state: z.record(z.string(), z.object({ trusted_hash: z.string() }).partial()) }),
})

/** How many of our hooks there are, and how many of them the user has trusted in Codex. */
export function codexTrust({ json, toml, state }: CodexFiles): { hooks: number; trusted: number } {
  const parsed = stateSchema.safeParse(tomlIn(state))
  const known = parsed.success ? parsed.data.hooks.state : {}
  const keys = [...keysIn(json, jsonValue(json)), ...keysIn(toml, tomlIn(toml))]
  const trusted = keys.filter((key) => known[key]?.trusted_hash !== undefined)
  return { hooks: keys.length, trusted: trusted.length }
}

/** The keys that Codex gives to our hooks: the file, the event and the position in it. */
function keysIn(file: string, settings: unknown): string[] {
  const hooks = z.object({ hooks: z.unknown() }).safeParse(settings).data?.hooks
  const found = ownHooksIn(hooks)
  const real = found.length === 0 ? file : realpathSync(file)
  return found.map(({ event, group, index }) => `${real}:${snakeCase(event)}:${group}:${index}`)
}

function snakeCase(event: string): string {
  return event.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

function jsonValue(file: string): unknown {
  try {
    return plainValue(parseJsonTree(readText(file) ?? "{}"))
  } catch {
    return undefined
  }
}

function tomlIn(file: string): unknown {
  return tomlValues(readText(file) ?? "")
}
