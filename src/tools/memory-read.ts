import { z } from "zod"
import { UserError } from "../base/errors.ts"
import { retrieve } from "../memory/find/retrieve.ts"
import type { Memory } from "../memory/model/memory.ts"
import type { MemoryCore } from "../memory/model/memory-core.ts"
import { requireMemory } from "../memory/model/store/browse.ts"
import type { SourceReader } from "../recall/choose/read-source.ts"
import { defineTool, type Tool } from "../safety/tool.ts"
import { fenced } from "./fenced.ts"

/** The memory, for the tools that read it. */
export interface MemoryReadContext extends MemoryCore {
  sourceReader: SourceReader
  /** Projects that models may not see. */
  excluded: ReadonlySet<string>
}

/** Tools that read memories and their sources. */
export function memoryReadTools(needs: MemoryReadContext): Tool[] {
  return [
    defineTool({
      name: "memory_search",
      description: "Find memories about something, in all projects.",
      input: z.object({ query: z.string().min(1).max(1000), limit: z.int().min(1).max(30).default(10) }),
      tier: "auto",
      async run({ query, limit }) {
        const { hits } = await retrieve(needs, { query, limit, allProjects: true, gate: false })
        const shown = hits.filter(({ memory }) => !needs.excluded.has(memory.project ?? ""))
        if (shown.length === 0) return "Nothing was found."
        return shown
          .map(({ memory }) => `${memory.id} (${memory.type}): ${fenced(memory.content)}`)
          .join("\n")
      },
    }),
    defineTool({
      name: "memory_show",
      description: "Show one memory with where it came from and how sure it is.",
      input: z.object({ id: z.string().min(4) }),
      tier: "auto",
      async run({ id }) {
        return fenced(JSON.stringify(await requireShown(needs, id)))
      },
    }),
    defineTool({
      name: "memory_source",
      description: "Read what was said where a memory comes from.",
      input: z.object({ id: z.string().min(4) }),
      tier: "auto",
      readsUntrusted: true,
      async run({ id }) {
        return fenced(await needs.sourceReader.readSource(await requireShown(needs, id)))
      },
    }),
    defineTool({
      name: "session_search",
      description: "Find what was said about something in the person's sessions of a memory's project.",
      input: z.object({
        words: z.string().min(2).max(200),
        memory: z.string().min(4).describe("a memory of the project"),
      }),
      tier: "auto",
      readsUntrusted: true,
      async run({ words, memory }) {
        const { project } = await requireShown(needs, memory)
        if (project === null) return "That memory belongs to no project, so there are no sessions to search."
        return fenced(await needs.sourceReader.searchSessions(words, [project]))
      },
    }),
  ]
}

/** Returns a memory that the agent may see and change, or throws. */
export async function requireShown(
  { db, excluded }: Pick<MemoryReadContext, "db" | "excluded">,
  id: string,
): Promise<Memory> {
  const memory = await requireMemory(db, id)
  if (excluded.has(memory.project ?? ""))
    throw new UserError("refused", `${id} belongs to a project that excludes models.`)
  return memory
}
