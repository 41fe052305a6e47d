import type { McpTool } from "./tool.ts"
import { editTool, forgetTool, linkTool, rateTool, rememberTool, tagTool } from "./tools/change.ts"
import { historyTool, statusTool, whyTool } from "./tools/explain.ts"
import { listTool, recallContextTool, searchTool, showTool, similarTool } from "./tools/find.ts"

/**
 * All tools, in the order of the list. There must be no tool to decide permission requests: an agent could approve its
 * own.
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
