import { isDeepStrictEqual } from "node:util"
import { z } from "zod"
import { nodeAt, removeAt, removeIfEmpty, setMember } from "./json-edit.ts"
import { parseJsonTree, plainValue } from "./json-tree.ts"
import type { SettingsPart } from "./settings-file.ts"

/** Our MCP server in a JSON file, at a path that ends with its name. */
export function jsonServer(path: readonly string[], server: object): SettingsPart {
  const there = (text: string) => plainValue(nodeAt(parseJsonTree(text), path))
  return {
    name: "MCP server",
    isServer: true,
    add: (text) => (isDeepStrictEqual(there(text), server) ? text : setMember(text, path, server)),
    remove(text) {
      if (there(text) === undefined) return text
      return removeIfEmpty(removeAt(text, path), path.slice(0, -1))
    },
    find: (text) => programsIn(there(text)),
  }
}

const serverSchema = z.union([
  z.object({ command: z.string(), args: z.array(z.string()).default([]) }),
  z.object({ command: z.array(z.string()) }),
])

/** The absolute paths in a server's command. */
export function programsIn(server: unknown): string[] {
  const parsed = serverSchema.safeParse(server)
  if (!parsed.success) return []
  const words = "args" in parsed.data ? [parsed.data.command, ...parsed.data.args] : parsed.data.command
  return words.filter((word) => word.startsWith("/"))
}
