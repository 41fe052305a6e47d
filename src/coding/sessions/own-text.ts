import { elementRemover } from "../../base/text/elements.ts"
import { stripFenced, withoutUnclosedFence } from "../../llm/fence.ts"

const withoutHookContext = elementRemover(["hook_context"])

/**
 * The text without what Reverie, or another program's hook, put before an agent: it comes back in the transcript, and
 * must never be taken for something that was said there.
 */
export function withoutInjected(text: string): string {
  return withoutHookContext(stripFenced(withoutUnclosedFence(text)))
}

/** Whether a tool is ours, by whatever name an agent knows it: its answers are memories already. */
export function isOurTool(tool: string, command: string | undefined): boolean {
  if (/(?:^|[_./:-])reverie(?:$|[_./:-])/i.test(tool)) return true
  return (
    command !== undefined &&
    /(?:^|[\s;&|(/])reverie\s+(?:memory|recall|sessions|journal|hook|mcp)\b/.test(command)
  )
}
