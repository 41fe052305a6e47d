import { stripFenced } from "../memory/recall/fence.ts"

/**
 * Text that Reverie, or another program's hook, put before an agent comes back in its transcript. It must never be taken
 * for something that was said there.
 */
const hookContext = /<hook_context>[\s\S]*?(?:<\/hook_context>|$)/g
/** Ours where its end was cut off. */
const unclosed = /<reverie-memory\b[^>]*>(?![\s\S]*<\/reverie-memory>)[\s\S]*$/

/** The text without what was put into it. */
export function withoutInjected(text: string): string {
  return stripFenced(text.replace(unclosed, "")).replaceAll(hookContext, "")
}

/** Whether a tool is ours, by whatever name an agent knows it: its answers are memories already. */
export function isOurTool(tool: string, command: string | undefined): boolean {
  if (/(?:^|[_./:-])reverie(?:$|[_./:-])/i.test(tool)) return true
  return (
    command !== undefined &&
    /(?:^|[\s;&|(/])reverie\s+(?:memory|recall|sessions|journal|hook|mcp)\b/.test(command)
  )
}
