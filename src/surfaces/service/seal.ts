import { createHash } from "node:crypto"

/** The marks of a comment in a file. */
export interface Comment {
  begin: string
  end: string
}

const words = "Written by `reverie service install`; `reverie service uninstall` removes it. Seal:"

/** Adds a line that marks the text as ours and detects later edits. */
export function seal(text: string, { begin, end }: Comment): string {
  return text.replace("SEAL", `${begin}${words} ${hashOf(text)}${end}`)
}

/** Who wrote a text: we, we with later edits, or somebody else. */
export function authorOf(text: string): "ours" | "edited" | "theirs" {
  const line = text.split("\n").find((one) => one.includes(words))
  if (line === undefined) return "theirs"
  const wanted = /Seal: ([0-9a-f]{16})/.exec(line)?.[1]
  return hashOf(text.replace(line, "SEAL")) === wanted ? "ours" : "edited"
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16)
}
