/** The tools that agents use memory by, in the order they are shown. */
export const ownTools = [
  "memory_search",
  "memory_recall_context",
  "memory_remember",
  "memory_list",
  "memory_show",
  "memory_forget",
  "memory_link",
  "memory_tag",
  "memory_rate",
  "memory_history",
  "memory_why",
  "ambient_status",
] as const

export type OwnTool = (typeof ownTools)[number]

/**
 * Whether a tool in a transcript is one of ours, whatever the agent's program put before its name: what it said is
 * memory already and must not be learned again.
 */
export function isOwnTool(name: string): boolean {
  return ownTools.some((own) => name === own || /[^a-z0-9]$/i.test(beforeSuffix(name, own)))
}

function beforeSuffix(name: string, suffix: string): string {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : ""
}
