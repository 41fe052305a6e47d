/** The prefix of the source ids of notes such as CLAUDE.md. */
export const notesTool = "markdown"

/** The prefix of the source ids of our own readable export. */
export const ownTool = "reverie"

/** Whether a memory came from a notes file or a readable export. All memories of one file have the same time. */
export function isNote({ sourceId }: { sourceId: string | null }): boolean {
  return [notesTool, ownTool].some((tool) => sourceId?.startsWith(`${tool}:`))
}
