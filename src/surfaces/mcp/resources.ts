import { type McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server"
import { UserError } from "../../base/errors.ts"
import type { ClientContext } from "./client-context.ts"
import { fencedValue } from "./fence.ts"
import type { McpNeeds } from "./needs.ts"
import { showTool } from "./tools/find.ts"

const mimeType = "application/json"

/** What can be attached to a conversation: the counts, and any memory by its id. */
export function addResources(server: McpServer, needs: McpNeeds, context: ClientContext): void {
  const answer = async (uri: URL, value: object) => {
    const text = JSON.stringify(fencedValue(await needs.clean(value, context.folder)))
    return { contents: [{ uri: uri.href, mimeType, text }] }
  }
  server.registerResource(
    "stats",
    "memory://stats",
    { title: "What is remembered", description: "How much is remembered, of what kind and where.", mimeType },
    async (uri) => {
      const { storage, ...stats } = await needs.use((client) => client.stats())
      return answer(uri, stats)
    },
  )
  server.registerResource(
    "item",
    new ResourceTemplate("memory://item/{id}", { list: undefined }),
    {
      title: "A memory",
      description: "One memory with where it comes from and what it is linked to.",
      mimeType,
    },
    async (uri, { id }) => {
      try {
        const shown = await needs.use((client) => client.show(String(id)))
        return await answer(uri, showTool.output.parse(shown))
      } catch (error) {
        if (error instanceof UserError && error.kind === "not-found")
          throw new ResourceNotFoundError(uri.href, error.message)
        throw error
      }
    },
  )
}
