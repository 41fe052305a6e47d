import { createHash } from "node:crypto"
import { encodeBase32 } from "../../base/random.ts"
import { escapeRegExp } from "../../base/text/elements.ts"
import type { RoomRef } from "../../chat/channels/channel.ts"
import { type Line, roomKey } from "../../chat/conversation/state.ts"
import { termsOf } from "../../language/terms.ts"
import { checkNote } from "../../memory/extract/check-notes.ts"
import type { Claim } from "../../memory/extract/claim.ts"
import { readTurnsByRules } from "../../memory/extract/rules/read-turns.ts"
import { newMemorySchema } from "../../memory/model/memory.ts"
import type { MemoryWriteCore } from "../../memory/write/prepare.ts"
import { type Remembered, remember } from "../../memory/write/remember.ts"
import type { Turn } from "../../sessions/turn.ts"
import { audienceOf, sourceOf, speakerIn } from "./audience.ts"
import { nameOf } from "./room-view.ts"

/** A claim in a message, to be remembered. */
interface MessageClaim {
  line: Line
  claim: Claim
}

/** A sentence that a model noted, and its message. */
export interface ChatNote {
  line: Line
  text: string
}

/** Extracts claims by rules: all that people state, or only what they ask us to remember. */
export function statedIn(lines: readonly Line[], which: "all" | "asked"): MessageClaim[] {
  return lines.filter(isFromPerson).flatMap((line) =>
    readTurnsByRules([turnOf(line)])
      .filter(({ reason, quarantined }) => !quarantined && (which === "all" || reason === "rule remember"))
      .map((claim) => ({ line, claim })),
  )
}

/** The notes of a model that their messages confirm in the author's own words. */
export function notedIn(notes: readonly ChatNote[]): MessageClaim[] {
  return notes.flatMap(({ line, text }) => {
    if (!isFromPerson(line)) return []
    const content = text.replaceAll(new RegExp(escapeRegExp(nameOf(line.author.name)), "gi"), "the user")
    const note = { content, type: "fact" as const, turns: [0] }
    const claim = checkNote(note, { turns: [turnOf(line)], from: 0, gaps: [] })
    return claim && !claim.quarantined ? [{ line, claim }] : []
  })
}

/** Whether a claim only repeats one of our own messages. */
function isRepeated({ line, claim }: MessageClaim, ours: readonly Line[]): boolean {
  const terms = new Set(termsOf(claim.content.replaceAll(/\bthe user('s)?\b/gi, " ")))
  return ours.some((own) => {
    if (own.at > line.at) return false
    const known = new Set(termsOf(own.text))
    return terms.size > 0 && [...terms].every((term) => known.has(term))
  })
}

/** Remembers claims for their community only; the same message again changes nothing. */
export async function learn(
  needs: MemoryWriteCore,
  room: RoomRef,
  claims: readonly MessageClaim[],
  ours: readonly Line[],
): Promise<Remembered[]> {
  const outcomes: Remembered[] = []
  const seen = new Set<string>()
  for (const one of claims) {
    const { line, claim } = one
    const content = attributed(claim.content, nameOf(line.author.name))
    if (seen.has(content) || isRepeated(one, ours)) continue
    seen.add(content)
    const source = sourceOf(room, line.id)
    const memory = newMemorySchema.parse({
      content,
      type: claim.type,
      source: claim.source,
      confidence: claim.confidence,
      audience: audienceOf(room),
      // A claim is compared only with those of the same author, so that nobody replaces what others said.
      scope: "session",
      sessionId: speakerIn(room, line.author.id),
      sourceId: `${source}#${fingerprint(content)}`,
      tags: ["chat"],
      createdAt: line.at > 0 ? line.at : undefined,
      context: `${line.author.name.slice(0, 100)} in ${roomKey(room).slice(0, 300)}`,
      reason: claim.reason,
    })
    const operation = `op_${fingerprint(`${source}\n${content}`)}`
    outcomes.push(await remember(needs, memory, { operation, actor: "chat" }))
  }
  return outcomes
}

function isFromPerson({ isOurs, author }: Line): boolean {
  return !isOurs && !author.isBot
}

function turnOf({ text, at }: Line): Turn {
  return { position: 0, role: "user", at, text: withoutAddress(text) }
}

/** Removes our name at the start: "@reverie, remember …", "Reverie: remember …". */
function withoutAddress(text: string): string {
  return text.replace(/^\s*@?[\p{L}\p{N}_-]{2,40}[,:]\s+(?=\S)|^\s*@[\p{L}\p{N}_-]{2,40}\s+(?=\S)/u, "")
}

/** Replaces "the user" with the name of the author. */
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
