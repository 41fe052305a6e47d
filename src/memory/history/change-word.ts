const linkWords: Record<string, string> = {
  "edge.added": "linked",
  "edge.removed": "unlinked",
  "edge.weighed": "changed",
}

/** The verb of a journal kind as users see it: memory.saved is "added". */
export function changeWord(kind: string): string {
  const linked = linkWords[kind]
  if (linked !== undefined) return linked
  const verb = kind.slice(kind.indexOf(".") + 1)
  if (verb === "saved") return "added"
  return verb === "edited" || verb === "reinforced" ? "changed" : verb
}
