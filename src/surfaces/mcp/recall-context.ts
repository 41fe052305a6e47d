import type { Client } from "../../api/client.ts"
import type { HitJson } from "../../api/contract/memory-answers.ts"
import { fence, memoryTag } from "../../llm/fence.ts"
import type { scopeOf } from "./client-context.ts"

/** At most this many characters of a text are searched for: more rarely change the result, and the URL must fit. */
const longestQuery = 2000

/** Memories for a text outside of a session. The beginning of a request says what it is about. */
export async function recallContext(
  client: Client,
  text: string,
  limit: number,
  scope: ReturnType<typeof scopeOf>,
) {
  const query = text.length > longestQuery ? text.slice(0, longestQuery).toWellFormed() : text
  const { results } = await client.search({ query, limit, gate: "strict", ...scope })
  return { memories: results, text: fencedList(results) }
}

/** Memories for a text that the session has not seen yet, as for any prompt. */
export async function recallInSession(client: Client, id: string, project: string | undefined, text: string) {
  const session = { id, tool: "reverie", ...(project === undefined ? {} : { project }) }
  const prompt = text.slice(0, longestQuery).toWellFormed()
  const { memories } = await client.recallTurn({ session, happening: { kind: "prompt", text: prompt } })
  // A turn has little time to search; a tool call may take longer.
  return memories.length > 0 ? memories : (await client.recallPreview({ session, text: prompt })).memories
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
