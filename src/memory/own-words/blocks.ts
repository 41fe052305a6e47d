import { isAddressAlone, isDocumentLine, isField, isForeignLine, isItem } from "./line-kinds.ts"
import { introducesSource, isTicketHead } from "./source-intro.ts"

/**
 * The blocks of a message that are the person's own. People say something, paste something, and say something about it:
 * what stands before the first foreign block is theirs, and of what stands after it only the end, where it speaks as
 * people do to an agent.
 */
export function ownBlocks(text: string): string[] {
  const blocks = text
    .split(/\n[ \t]*\n/)
    .map((block) => block.replace(/^\n+/, "").trimEnd())
    .filter((block) => block !== "")
  const foreign = blocks.findIndex(isForeign)
  if (foreign === -1) return blocks.length === 1 && isBareDocument(blocks[0] ?? "") ? [] : blocks
  const first = blocks.slice(0, foreign)
  const last: string[] = []
  for (const block of blocks.slice(foreign + 1).reverse()) {
    if (isForeign(block) || !speaksHere(block)) break
    last.unshift(block)
  }
  const lead = ownPartOf(blocks[foreign] ?? "")
  return [...first, ...lead, ...last]
}

/** Whether a block, or what it introduces, is somebody else's text. */
function isForeign(block: string): boolean {
  const lines = block.split("\n").filter((line) => line.trim() !== "")
  const [first = ""] = lines
  if (lines.some(isDocumentLine) || lines.some(isAddressAlone)) return true
  if (lines.some(introducesSource) || isTicketHead(first)) return true
  if (lines.filter(isField).length >= 2) return true
  return lines.filter(isForeignLine).length * 2 >= lines.length
}

/** Of a block that turns foreign, what stands before it does: "does this break any rule?", then the rule. */
function ownPartOf(block: string): string[] {
  const lines = block.split("\n")
  const turns = lines.findIndex(
    (line) =>
      isDocumentLine(line) ||
      isForeignLine(line) ||
      isAddressAlone(line) ||
      introducesSource(line) ||
      isField(line) ||
      isTicketHead(line),
  )
  const own = lines.slice(0, Math.max(0, turns)).join("\n").trim()
  return own === "" ? [] : [own]
}

const longestRemark = 600

/** How people go on after a paste: in small letters, or of themselves. Documents do neither. */
function speaksHere(block: string): boolean {
  if (block.length > longestRemark || block.split("\n").every(isItem)) return false
  return /^\s*\p{Ll}/u.test(block) || /\b(?:I|I'm|I'd|I'll|I've|my|me)\b/.test(block)
}

/** A message that is nothing but a text of the kind that documents are made of. */
function isBareDocument(block: string): boolean {
  const lines = block.split("\n").filter((line) => line.trim() !== "")
  if (/\b(?:i|i'm|i'd|i've|my|me|we|we're|our|us|you|your|let's|please|thanks)\b|\?/i.test(block)) return false
  if (lines.length >= 3 && lines.every(isItem)) return lines.every((line) => /^\W*\d*\W*\p{Lu}/u.test(line))
  const sentences = block.split(/[.!](?:\s|$)/).filter((part) => part.trim() !== "")
  return sentences.length >= 4 && sentences.every((part) => /^\W*\p{Lu}/u.test(part.trim()))
}
