import { type OwnTool, ownTools } from "../../memory/own-tools.ts"
import type { McpTool } from "./tool.ts"
import { forgetTool, linkTool, rateTool, rememberTool, tagTool } from "./tools/change.ts"
import { historyTool, statusTool, whyTool } from "./tools/explain.ts"
import { listTool, recallContextTool, searchTool, showTool } from "./tools/find.ts"

const byName: Record<OwnTool, McpTool> = {
  memory_search: searchTool,
  memory_recall_context: recallContextTool,
  memory_remember: rememberTool,
  memory_list: listTool,
  memory_show: showTool,
  memory_forget: forgetTool,
  memory_link: linkTool,
  memory_tag: tagTool,
  memory_rate: rateTool,
  memory_history: historyTool,
  memory_why: whyTool,
  ambient_status: statusTool,
}

/**
 * All tools, in their order. Deciding about permissions is not among them and must not come: an agent could then
 * approve what it asks for itself.
 */
export const tools: readonly McpTool[] = ownTools.map((name) => byName[name])
