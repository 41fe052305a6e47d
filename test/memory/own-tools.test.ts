import { expect, test } from "vitest"
import { isOwnTool } from "../../src/memory/own-tools.ts"

test("our own tools are known by whatever name an agent's program gives them", () => {
  for (const name of [
    "memory_search",
    "mcp__reverie__memory_search",
    "reverie.memory_why",
    "reverie_ambient_status",
  ])
    expect(isOwnTool(name), name).toBe(true)
  for (const name of ["Bash", "search", "in_memory_search_index", "xmemory_search", "memory_search_all", ""])
    expect(isOwnTool(name), name).toBe(false)
})
