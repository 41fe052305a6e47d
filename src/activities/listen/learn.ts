import { createHash } from "node:crypto"
import { encodeBase32 } from "../../base/random.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { type Line, roomKey } from "../../chat/conversation/state.ts"
import { termsOf } from "../../language/terms.ts"
import { checkNote } from "../../memory/extract/check-notes.ts"
import type { Claim } from "../../memory/extract/claim.ts"
import { readTurns } from "../../memory/extract/rules/read-turns.ts"
import { newMemorySchema } from "../../memory/model/memory.ts"
import type { RememberNeeds } from "../../memory/write/prepare.ts"
import { type Remembered, remember } from "../../memory/write/remember.ts"
import type { Turn } from "../../sessions/turn.ts"
import { audienceOf, sourceOf, speakerIn } from "./audience.ts"
import { nameOf } from "./room-view.ts"

/** Something that a message says and that is to be remembered. */
interface Said {
  line: Line
  claim: Claim
}

/** What a model noted: a sentence, and the message that says it. */
export interface ChatNote {
  line: Line
  text: string
}

/** What messages tell by rules: everything that people state, or only what they ask us to remember. */
export function statedIn(lines: readonly Line[], which: "all" | "asked"): Said[] {
  return lines.filter(isPersons).flatMap((line) =>
    readTurns([turnOf(line)])
      .filter(({ reason, quarantined }) => !quarantined && (which === "all" || reason === "rule remember"))
      .map((claim) => ({ line, claim })),
  )
}

/** What a model noted, as far as the message bears it out in its author's own words. */
export function notedIn(notes: readonly ChatNote[]): Said[] {
  return notes.flatMap(({ line, text }) => {
    if (!isPersons(line)) return []
    const content = text.replaceAll(new RegExp(escaped(nameOf(line.author.name)), "gi"), "the user")
    const note = { content, type: "fact" as const, turns: [0] }
    const claim = checkNote(note, { turns: [turnOf(line)], from: 0, gaps: [] })
    return claim && !claim.quarantined ? [{ line, claim }] : []
  })
}

/** What we said is not learned, whoever repeats it to us. */
function isRepeated({ line, claim }: Said, ours: readonly Line[]): boolean {
  const terms = new Set(termsOf(claim.content.replaceAll(/\bthe user('s)?\b/gi, " ")))
  return ours.some((own) => {
    if (own.at > line.at) return false
    const known = new Set(termsOf(own.text))
    return terms.size > 0 && [...terms].every((term) => known.has(term))
  })
}

/** Remembers what was said, for its community alone; the same message again changes nothing. */
export async function learn(
  needs: RememberNeeds,
  room: RoomRef,
  said: readonly Said[],
  ours: readonly Line[],
): Promise<Remembered[]> {
  const outcomes: Remembered[] = []
  const seen = new Set<string>()
  for (const one of said) {
    const { line, claim } = one
    const content = attributed(claim.content, nameOf(line.author.name))
    if (seen.has(content) || isRepeated(one, ours)) continue
    seen.add(content)
    const source = sourceOf(room, line.id)
    const given = newMemorySchema.parse({
      content,
      type: claim.type,
      source: claim.source,
      confidence: claim.confidence,
      audience: audienceOf(room),
      // One speaker's words are held against the same speaker's only: nobody replaces what somebody else said.
      scope: "session",
      sessionId: speakerIn(room, line.author.id),
      sourceId: `${source}#${fingerprint(content)}`,
      tags: ["chat"],
      createdAt: line.at > 0 ? line.at : undefined,
      context: `${line.author.name.slice(0, 100)} in ${roomKey(room).slice(0, 300)}`,
      reason: claim.reason,
    })
    const operation = `op_${fingerprint(`${source}\n${content}`)}`
    outcomes.push(await remember(needs, given, { operation, actor: "chat" }))
  }
  return outcomes
}

/** A message that a person wrote; only these are learned from. */
function isPersons({ isOurs, author }: Line): boolean {
  return !isOurs && !author.isBot
}

function turnOf({ text, at }: Line): Turn {
  return { position: 0, role: "user", at, text: withoutAddress(text) }
}

/** A message without the name that it begins with: "@reverie, remember …", "Reverie: remember …". */
function withoutAddress(text: string): string {
  return text.replace(/^\s*@?[\p{L}\p{N}_-]{2,40}[,:]\s+(?=\S)|^\s*@[\p{L}\p{N}_-]{2,40}\s+(?=\S)/u, "")
}

/** A sentence of "the user" with the name of who said it. */
function attributed(content: string, name: string): string {
  const named = content.replaceAll(
    /\bthe user('s)?\b/gi,
    (_all, own: string | undefined) => `${name}${own ?? ""}`,
  )
  return named === content && !content.includes(name)
    ? `${content.replace(/\.$/, "")} (said by ${name}).`
    : named
}

function fingerprint(text: string): string {
  return encodeBase32(createHash("sha256").update(text).digest().subarray(0, 10))
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
}
