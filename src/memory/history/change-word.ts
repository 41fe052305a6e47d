/** The verb of a journal kind as users see it: memory.saved is "added". */
export function changeWord(kind: string): string {
  const verb = kind.slice(kind.indexOf(".") + 1)
  if (verb === "saved") return "added"
  return verb === "edited" || verb === "reinforced" ? "changed" : verb
}
