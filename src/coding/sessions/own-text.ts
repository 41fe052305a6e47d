import { createElementRemover } from "../../base/text/elements.ts"
import { stripFenced, withoutUnclosedFence } from "../../llm/fence.ts"

const withoutHookContext = createElementRemover(["hook_context"])

/**
 * The text without what Reverie or another hook injected: it shows up in the transcript, and must not count as part of
 * the conversation.
 */
export function withoutInjected(text: string): string {
  return withoutHookContext(stripFenced(withoutUnclosedFence(text)))
}

/** Whether a tool is Reverie's, under any name: its answers are already memories. */
export function isReverieTool(tool: string, command: string | undefined): boolean {
  if (/(?:^|[_./:-])reverie(?:$|[_./:-])/i.test(tool)) return true
  return (
    command !== undefined &&
    /(?:^|[\s;&|(/])reverie\s+(?:memory|recall|sessions|journal|hook|mcp)\b/.test(command)
  )
}
