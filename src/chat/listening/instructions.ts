import { readFileSync, statSync } from "node:fs"

const longest = 2000

/** The operator's instructions: the first 2,000 characters of a file, read anew when it changes; null without one. */
export function openInstructions(file: string): () => string | null {
  let mark = ""
  let text: string | null = null
  return () => {
    try {
      const { mtimeMs, size, ino } = statSync(file)
      const now = `${mtimeMs} ${size} ${ino}`
      if (now !== mark) {
        text = Array.from(readFileSync(file, "utf8")).slice(0, longest).join("").trim() || null
        mark = now
      }
    } catch {
      mark = ""
      text = null
    }
    return text
  }
}
