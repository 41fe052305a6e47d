import { isAddressAlone, isDocumentLine, isField, isForeignLine, isItem } from "./line-kinds.ts"
import { asksToHandle, introducesSource, isTicketHead } from "./source-intro.ts"

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
  const speaks = speakerIn(text)
  const foreign = firstForeign(blocks, text)
  if (foreign === -1) return isBareDocument(blocks, speaks) ? [] : blocks
  const [first, ...further] = blocks.slice(0, foreign)
  const last = lastWords(blocks.slice(foreign), speaks)
  const lead = ownPartOf(blocks[foreign] ?? "")
  return [...(first === undefined ? [] : [first]), ...further.filter(speaks), ...lead, ...last]
}

/** What a person says after what they pasted; nothing where they said before what to do with it. */
function lastWords(blocks: readonly string[], speaks: (block: string) => boolean): string[] {
  const last: string[] = []
  for (let index = blocks.length - 1; index > 0; index -= 1) {
    const block = blocks[index] ?? ""
    const before = blocks[index - 1]?.split("\n").at(-1) ?? ""
    if (isForeign(block) || !speaks(block) || introducesSource(before)) break
    last.unshift(block)
  }
  return blocks.some((block) => block.split("\n").some(asksToHandle)) ? [] : last
}

/** Nobody writes so much to an agent without pasting. */
const longest = { lines: 30, characters: 2500 }

/** Where a message turns foreign; long ones do after their first block at the latest. */
function firstForeign(blocks: readonly string[], text: string): number {
  const found = blocks.findIndex((block, index) => isForeign(block) || isLooseList(block, blocks[index - 1]))
  const isLong = text.length > longest.characters || text.split("\n").length > longest.lines
  if (!isLong || blocks.length < 2) return found
  return found === -1 ? 1 : Math.min(found, 1)
}

/** A list that no line of the person's leads to was copied from somewhere. */
function isLooseList(block: string, before: string | undefined): boolean {
  const lines = block.split("\n")
  if (lines.length < 2 || !lines.every(isItem)) return false
  return before !== undefined && !/[:：]\s*$/.test(before)
}

/** How prompts for models begin, which give them a part to play. */
const givesPart = /^\s*(?:you are|you're|act as|pretend to be|imagine you are) (?:an?|the)\b/i

/** Whether a block, or what it introduces, is somebody else's text. */
function isForeign(block: string): boolean {
  const lines = block.split("\n").filter((line) => line.trim() !== "")
  const [first = ""] = lines
  if (givesPart.test(first)) return true
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
  // A question may stand right below; it tells nothing.
  const asked = lines.slice(Math.max(1, turns)).at(-1)?.trim() ?? ""
  return [own, /\?$/.test(asked) ? asked : ""].filter((part) => part !== "")
}

const longestRemark = 600

/** Greetings, signatures and fields: in a mail or a chat others say "I" too. */
const letter =
  /^(?:(?:from|to|cc|subject|sent)\s?:|(?:hi|hello|hey|dear|hallo)\b.{0,40},?$|(?:best|regards|kind regards|cheers|thanks|thank you|sincerely|greetings)\b.{0,30}$)/im

/** How people go on after a paste: in small letters, or of themselves. Documents do neither. */
function speakerIn(text: string): (block: string) => boolean {
  const mayBeOthers = letter.test(text)
  return (block) => {
    if (block.length > longestRemark || block.split("\n").every(isItem)) return false
    if (/^\s*\p{Ll}/u.test(block)) return true
    return !mayBeOthers && /\b(?:I|I'm|I'd|I'll|I've|my|me)\b/.test(block)
  }
}

/** A message that is nothing but a text of the kind that documents are made of. */
function isBareDocument(blocks: readonly string[], speaks: (block: string) => boolean): boolean {
  const [first = "", ...rest] = blocks
  if (rest.length > 0) return isTitle(first) && !rest.some(speaks)
  const lines = first.split("\n").filter((line) => line.trim() !== "")
  const [title = "", ...body] = lines
  if (isTitle(title) && body.length >= 2 && body.every((line) => /^\s*\p{Lu}.*\.\s*$/u.test(line)))
    return true
  if (
    /\b(?:i|i'm|i'd|i've|my|me|we|we're|our|us|you|your|let's|please|thanks|here|this (?:repo|repository|project|codebase|team|app|service))\b|\?/i.test(
      first,
    )
  )
    return false
  if (lines.length >= 3 && lines.every(isItem)) return lines.every((line) => /^\W*\d*\W*\p{Lu}/u.test(line))
  const sentences = first.split(/[.!](?:\s|$)/).filter((part) => part.trim() !== "")
  return sentences.length >= 4 && sentences.every((part) => /^\W*\p{Lu}/u.test(part.trim()))
}

/** A line that names what follows and says nothing itself. */
function isTitle(block: string): boolean {
  const line = block.trim()
  if (line.includes("\n") || !/^\p{Lu}/u.test(line) || /[.!?:;,…]$/.test(line)) return false
  const words = line.split(/\s+/, 9)
  return (
    words.length <= 8 && !/\b(?:i|i'm|my|we|our|you|your|use|never|always|don't|please|is|are)\b/i.test(line)
  )
}
