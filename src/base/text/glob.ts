/** Whether a text matches a pattern in which `*` matches anything. Linear time for any input. */
export function matchesGlob(pattern: string, text: string): boolean {
  const parts = pattern.split("*")
  const [first = "", ...rest] = parts
  if (rest.length === 0) return text === pattern
  const last = rest.pop() ?? ""
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false
  let at = first.length
  const end = text.length - last.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
