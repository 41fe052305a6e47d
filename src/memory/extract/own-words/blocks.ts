import { isAddressAlone, isDocumentLine, isField, isItem, isPastedLine } from "./line-kinds.ts"
import { asksToHandle, introducesSource, isTicketHead } from "./source-intro.ts"

/**
 * The blocks of a message that the user wrote. Users write, paste and comment: blocks before the first pasted one are
 * theirs; of those after it only the last ones, if they sound like somebody who talks to an agent.
 */
export function ownBlocks(text: string): string[] {
  const blocks = text
    .split(/\n[ \t]*\n/)
    .map((block) => block.replace(/^\n+/, "").trimEnd())
    .filter((block) => block !== "")
  const speaks = speakerIn(text)
  const pasted = firstPasted(blocks, text)
  if (pasted === -1) return isBareDocument(blocks, speaks) ? [] : blocks
  const [first, ...further] = blocks.slice(0, pasted)
  const last = lastWords(blocks.slice(pasted), speaks)
  const lead = ownPartOf(blocks[pasted] ?? "")
  return [...(first === undefined ? [] : [first]), ...further.filter(speaks), ...lead, ...last]
}

/** What the user wrote after a paste; nothing if they said before what to do with it. */
function lastWords(blocks: readonly string[], speaks: (block: string) => boolean): string[] {
  const last: string[] = []
  for (let index = blocks.length - 1; index > 0; index -= 1) {
    const block = blocks[index] ?? ""
    const before = blocks[index - 1]?.split("\n").at(-1) ?? ""
    if (isPasted(block) || !speaks(block) || introducesSource(before)) break
    last.unshift(block)
  }
  return blocks.some((block) => block.split("\n").some(asksToHandle)) ? [] : last
}

/** Longer messages contain something pasted. */
const longest = { lines: 30, characters: 2500 }

/** The first pasted block; in long messages the second block at the latest. */
function firstPasted(blocks: readonly string[], text: string): number {
  const found = blocks.findIndex((block, index) => isPasted(block) || isLooseList(block, blocks[index - 1]))
  const isLong = text.length > longest.characters || text.split("\n").length > longest.lines
  if (!isLong || blocks.length < 2) return found
  return found === -1 ? 1 : Math.min(found, 1)
}

/** A list without an introducing line was copied. */
function isLooseList(block: string, before: string | undefined): boolean {
  const lines = block.split("\n")
  if (lines.length < 2 || !lines.every(isItem)) return false
  return before !== undefined && !/[:：]\s*$/.test(before)
}

/** The beginning of prompts that give a model a role. */
const givesPart = /^\s*(?:you are|you're|act as|pretend to be|imagine you are) (?:an?|the)\b/i

/** Whether a block, or the text it introduces, was pasted. */
function isPasted(block: string): boolean {
  const lines = block.split("\n").filter((line) => line.trim() !== "")
  const [first = ""] = lines
  if (givesPart.test(first)) return true
  if (lines.some(isDocumentLine) || lines.some(isAddressAlone)) return true
  if (lines.some(introducesSource) || isTicketHead(first)) return true
  if (lines.filter(isField).length >= 2) return true
  return lines.filter(isPastedLine).length * 2 >= lines.length
}

/** The user's lines before the pasted part of a block: "does this break any rule?", then the rule. */
function ownPartOf(block: string): string[] {
  const lines = block.split("\n")
  const turns = lines.findIndex(
    (line) =>
      isDocumentLine(line) ||
      isPastedLine(line) ||
      isAddressAlone(line) ||
      introducesSource(line) ||
      isField(line) ||
      isTicketHead(line),
  )
  const own = lines.slice(0, Math.max(0, turns)).join("\n").trim()
  // A question may follow directly; it teaches nothing.
  const asked = lines.slice(Math.max(1, turns)).at(-1)?.trim() ?? ""
  return [own, /\?$/.test(asked) ? asked : ""].filter((part) => part !== "")
}

const longestRemark = 600

/** Greetings, signatures and fields: in a mail or a chat others say "I" too. */
const letter =
  /^(?:(?:from|to|cc|subject|sent)\s?:|(?:hi|hello|hey|dear|hallo)\b.{0,40},?$|(?:best|regards|kind regards|cheers|thanks|thank you|sincerely|greetings)\b.{0,30}$)/im

/** How users continue after a paste: in lower case, or about themselves. Documents do neither. */
function speakerIn(text: string): (block: string) => boolean {
  const mayBeOthers = letter.test(text)
  return (block) => {
    if (block.length > longestRemark || block.split("\n").every(isItem)) return false
    if (/^\s*\p{Ll}/u.test(block)) return true
    return !mayBeOthers && /\b(?:I|I'm|I'd|I'll|I've|my|me)\b/.test(block)
  }
}

/** Whether a message is nothing but a document. */
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

/** A line that is only a heading. */
function isTitle(block: string): boolean {
  const line = block.trim()
  if (line.includes("\n") || !/^\p{Lu}/u.test(line) || /[.!?:;,…]$/.test(line)) return false
  const words = line.split(/\s+/, 9)
  return (
    words.length <= 8 && !/\b(?:i|i'm|my|we|our|you|your|use|never|always|don't|please|is|are)\b/i.test(line)
  )
}
