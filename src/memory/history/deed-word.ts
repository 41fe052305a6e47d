/** A kind of entry as people say it. */
export function deedWord(kind: string): string {
  const verb = kind.slice(kind.indexOf(".") + 1)
  if (verb === "saved") return "added"
  return verb === "edited" || verb === "reinforced" ? "changed" : verb
}
