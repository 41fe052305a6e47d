import type { McpTool } from "./tool.ts"
import { editTool, forgetTool, linkTool, rateTool, rememberTool, tagTool } from "./tools/change.ts"
import { historyTool, statusTool, whyTool } from "./tools/explain.ts"
import { listTool, recallContextTool, searchTool, showTool, similarTool } from "./tools/find.ts"

/**
 * All tools, in the order they are shown. Deciding about permissions is not among them and must not come: an agent could
 * then approve what it asks for itself.
 */
export const tools: readonly McpTool[] = [
  searchTool,
  recallContextTool,
  rememberTool,
  listTool,
  showTool,
  similarTool,
  editTool,
  forgetTool,
  linkTool,
  tagTool,
  rateTool,
  historyTool,
  whyTool,
  statusTool,
]
