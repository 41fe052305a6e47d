/** The name in the source ids of notes such as CLAUDE.md. */
export const notesTool = "markdown"

/** And of our own readable export. */
export const ownTool = "reverie"

/** Whether a memory came from one of these; those of one file were made at the same time. */
export function isNote({ sourceId }: { sourceId: string | null }): boolean {
  return [notesTool, ownTool].some((tool) => sourceId?.startsWith(`${tool}:`))
}
