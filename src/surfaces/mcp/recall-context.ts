import type { Client } from "../../api/client.ts"
import type { HitJson } from "../../api/contract/memory-answers.ts"
import { fence, memoryTag } from "../../llm/fence.ts"

interface Asked {
  text: string
  limit: number
  view: { project?: string; session?: string }
}

/** Words beyond these rarely change what is found, and a request must fit into one line. */
const longestQuery = 2000

/** What would surface for a text, without any session's state: the beginning of a request says what it is about. */
export async function recallContext(client: Client, { text, limit, view }: Asked) {
  const query = text.length > longestQuery ? text.slice(0, longestQuery).toWellFormed() : text
  const { results } = await client.search({ query, limit, gate: "strict", ...view })
  return { memories: results, text: fencedList(results) }
}

/** What a session should know for a text, and was not told yet: it asks as any prompt does. */
export async function recallInSession(client: Client, id: string, project: string | undefined, text: string) {
  const session = { id, tool: "reverie", ...(project === undefined ? {} : { project }) }
  const asked = text.slice(0, longestQuery).toWellFormed()
  const { memories } = await client.recallTurn({ session, happening: { kind: "prompt", text: asked } })
  // A prompt does not wait long; whoever asks outright does.
  return memories.length > 0 ? memories : (await client.recallPreview({ session, text: asked })).memories
}

/** Memories as text for an agent. */
function fencedList(memories: readonly HitJson[]): string {
  if (memories.length === 0) return ""
  const lines = memories.map(
    ({ id, type, content, label }) =>
      `- (${[type, id, ...(label === undefined ? [] : [label])].join(", ")}) ${content.replaceAll(/\s*\n\s*/g, " ")}`,
  )
  return fence(memoryTag, lines.join("\n"))
}
