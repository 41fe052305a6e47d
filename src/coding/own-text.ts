/**
 * Text that Reverie, or another program's hook, put before an agent comes back in its transcript. It must never be taken
 * for something that was said there.
 */
const fences = [
  /<reverie-memory\b[^>]*>[\s\S]*?(?:<\/reverie-memory>|$)/g,
  /<hook_context>[\s\S]*?(?:<\/hook_context>|$)/g,
]

/** The text without what was put into it. */
export function withoutInjected(text: string): string {
  if (!text.includes("<")) return text
  return fences.reduce((rest, fence) => rest.replaceAll(fence, ""), text)
}

/** Whether a tool is ours, by whatever name an agent knows it: its answers are memories already. */
export function isOurTool(tool: string, command: string | undefined): boolean {
  if (/(?:^|[_./:-])reverie(?:$|[_./:-])/i.test(tool)) return true
  return (
    command !== undefined &&
    /(?:^|[\s;&|(/])reverie\s+(?:memory|recall|sessions|journal|hook|mcp)\b/.test(command)
  )
}
