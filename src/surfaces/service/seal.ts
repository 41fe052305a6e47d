import { createHash } from "node:crypto"

/** How a comment looks in a file. */
export interface Comment {
  begin: string
  end: string
}

const words = "Written by `reverie service install`; `reverie service uninstall` removes it. Seal:"

/** Puts a line into a text that tells that it is ours, and whether somebody edited it since. */
export function seal(text: string, { begin, end }: Comment): string {
  return text.replace("SEAL", `${begin}${words} ${hashOf(text)}${end}`)
}

/** Whose a text is: ours as it was written, ours with somebody's edits, or somebody else's. */
export function whoseText(text: string): "ours" | "edited" | "theirs" {
  const line = text.split("\n").find((one) => one.includes(words))
  if (line === undefined) return "theirs"
  const wanted = /Seal: ([0-9a-f]{16})/.exec(line)?.[1]
  return hashOf(text.replace(line, "SEAL")) === wanted ? "ours" : "edited"
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16)
}
