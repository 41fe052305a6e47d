import { z } from "zod"
import { UserError } from "../base/errors.ts"
import { type RetrieveNeeds, retrieve } from "../memory/find/retrieve.ts"
import type { Memory } from "../memory/model/memory.ts"
import { requireMemory } from "../memory/model/store/browse.ts"
import type { DeeperLook } from "../recall/choose/read-source.ts"
import { defineTool, type Tool } from "../safety/tool.ts"
import { fenced } from "./fenced.ts"

/** The memory, as the tools that read it see it. */
export interface MemoryView extends RetrieveNeeds {
  deeper: DeeperLook
  /** Projects whose memories are none of the agent's business. */
  excluded: ReadonlySet<string>
}

/** Looking at memories, and at what was said where they come from. */
export function memoryReadTools(view: MemoryView): Tool[] {
  return [
    defineTool({
      name: "memory_search",
      description: "Find memories about something, in all projects.",
      input: z.object({ query: z.string().min(1).max(1000), limit: z.int().min(1).max(30).default(10) }),
      tier: "auto",
      async run({ query, limit }) {
        const { hits } = await retrieve(view, { query, limit, allProjects: true, gate: false })
        const shown = hits.filter(({ memory }) => !view.excluded.has(memory.project ?? ""))
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
        return fenced(JSON.stringify(await requireShown(view, id)))
      },
    }),
    defineTool({
      name: "memory_source",
      description: "Read what was said where a memory comes from.",
      input: z.object({ id: z.string().min(4) }),
      tier: "auto",
      readsOutside: true,
      async run({ id }) {
        return fenced(await view.deeper.readSource(await requireShown(view, id)))
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
      readsOutside: true,
      async run({ words, memory }) {
        const { project } = await requireShown(view, memory)
        if (project === null)
          return "That memory belongs to no project, so there are no sessions to look into."
        return fenced(await view.deeper.searchSessions(words, [project]))
      },
    }),
  ]
}

/** A memory that the agent may look at and change. */
export async function requireShown(
  { db, excluded }: Pick<MemoryView, "db" | "excluded">,
  id: string,
): Promise<Memory> {
  const memory = await requireMemory(db, id)
  if (excluded.has(memory.project ?? ""))
    throw new UserError("refused", `${id} belongs to a project that keeps you out.`)
  return memory
}
