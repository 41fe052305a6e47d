import { z } from "zod"
import { nodeAt, removeAt, setMember } from "./json-edit.ts"
import { parseJsonTree, plainValue } from "./json-tree.ts"
import { isSame, type Part } from "./settings-file.ts"

/** Our MCP server in a JSON file, at a path that ends with its name. */
export function jsonServer(path: readonly string[], server: object): Part {
  const there = (text: string) => plainValue(nodeAt(parseJsonTree(text), path))
  return {
    name: "MCP server",
    isServer: true,
    add: (text) => (isSame(there(text), server) ? text : setMember(text, path, server)),
    remove(text) {
      if (there(text) === undefined) return text
      const without = removeAt(text, path)
      const holder = nodeAt(parseJsonTree(without), path.slice(0, -1))
      const isEmpty = holder?.kind === "object" && holder.members.length === 0
      return isEmpty ? removeAt(without, path.slice(0, -1)) : without
    },
    find: (text) => programsIn(there(text)),
  }
}

const serverSchema = z.union([
  z.object({ command: z.string(), args: z.array(z.string()).default([]) }),
  z.object({ command: z.array(z.string()) }),
])

/** The files that a server's command is made of. */
export function programsIn(server: unknown): string[] {
  const parsed = serverSchema.safeParse(server)
  if (!parsed.success) return []
  const words = "args" in parsed.data ? [parsed.data.command, ...parsed.data.args] : parsed.data.command
  return words.filter((word) => word.startsWith("/"))
}
