import type { McpServer } from "@modelcontextprotocol/server"
import { z } from "zod"
import type { McpNeeds } from "./needs.ts"
import { type Place, viewFrom } from "./place.ts"
import { recallContext } from "./recall-context.ts"

const mostRecalled = 10

/** What a person can start a conversation with. */
export function addPrompts(server: McpServer, needs: McpNeeds, place: Place): void {
  server.registerPrompt(
    "recall",
    {
      title: "Recall",
      description: "Brings up what is remembered about a topic.",
      argsSchema: z.object({ topic: z.string().min(1).max(10_000).describe("What it is about.") }),
    },
    async ({ topic }) => {
      const view = viewFrom(place, {})
      const found = await needs.use((client) =>
        recallContext(client, { text: topic, limit: mostRecalled, view }),
      )
      const text = await needs.clean(asked(topic, found.text), place.folder)
      return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] }
    },
  )
}

function asked(topic: string, memories: string): string {
  if (memories === "") return `Nothing is remembered about this: ${topic}`
  const how = "Take it as background, judge whether it still holds, and tell me what of it matters here."
  return `This is remembered about: ${topic}\n\n${memories}\n\n${how}`
}
