import type { Finding } from "../../finding.ts"

const begin = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}/g
const end = /-{4,5} ?END [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}/g
/** The next piece of a key's body: a header or a line of base64, after plain or JSON-escaped line breaks. */
const piece =
  /(?:\\[nrt]?|\s|["'`+,|>])*(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\uFFFC]{0,200}|[A-Za-z0-9+/=]{16,}|[A-Za-z0-9+/]{1,15}={1,2})/y
/** A whole line of a key, for reading backwards from the end of a key without its beginning. */
const lineOfKey = /^(?:\\[nrt]?|\s|["'`+,|>])*[A-Za-z0-9+/=]{16,}(?:\\[nrt]?|\s|["'`+,|>])*$/
const longestKey = 20_000

/** Finds private keys: complete, without their end, or without their beginning. Not public keys and certificates. */
export function findPrivateKeys(text: string): Finding[] {
  if (!text.includes("PRIVATE KEY") && !text.includes("PuTTY-User-Key-File")) return []
  const begins = [...text.matchAll(begin)]
  const begun = begins.map(({ 0: head, index }, nth) =>
    keyFrom(text, index, index + head.length, begins[nth + 1]?.index ?? text.length),
  )
  return [...begun, ...keysEndedOnly(text, begun), ...puttyKeys(text)]
}

/** Keys without their beginning; `begun` are the others, in order. */
function keysEndedOnly(text: string, begun: readonly Finding[]): Finding[] {
  const found: Finding[] = []
  let next = 0
  for (const { 0: tail, index } of text.matchAll(end)) {
    while (next < begun.length && (begun[next]?.end ?? 0) <= index) next += 1
    const isKnown = (begun[next]?.start ?? text.length) <= index
    if (!isKnown) found.push({ kind: "private-key", start: bodyStart(text, index), end: index + tail.length })
  }
  return found
}

/** The key whose body begins here; it ends at the latest before the next key. */
function keyFrom(text: string, start: number, bodyAt: number, nextAt: number): Finding {
  end.lastIndex = 0
  const closing = end.exec(text.slice(bodyAt, Math.min(bodyAt + longestKey, nextAt)))
  if (closing !== null) {
    return { kind: "private-key", start, end: bodyAt + closing.index + closing[0].length }
  }
  let at = bodyAt
  for (;;) {
    piece.lastIndex = at
    if (piece.exec(text) === null) break
    at = piece.lastIndex
  }
  return { kind: "private-key", start, end: endOfLastPiece(text, at) }
}

/** A key that was cut off within a line may end in a short piece, which is included if it is alone on its line. */
function endOfLastPiece(text: string, at: number): number {
  const rest = /^(?:\\+[nr]|[\r\n])[ \t]*[A-Za-z0-9+/]{1,15}(?=\s*$|\\n|["'`])/.exec(text.slice(at, at + 40))
  return rest === null ? at : at + rest[0].length
}

/** The maximum length of a line when reading backwards. */
const longestStep = 500

/** Reads backwards over whole lines of base64. */
function bodyStart(text: string, endAt: number): number {
  let start = endAt
  while (start > 0 && endAt - start < longestKey) {
    const from = Math.max(0, start - longestStep)
    const near = text.slice(from, start)
    const written = near.lastIndexOf("\\n", near.length - 3)
    const breakAt = Math.max(near.lastIndexOf("\n", near.length - 2), written < 0 ? -1 : written + 1)
    if (!lineOfKey.test(near.slice(breakAt + 1))) return start
    start = from + breakAt + 1
  }
  return start
}

function puttyKeys(text: string): Finding[] {
  return [...text.matchAll(/Private-Lines: \d{1,4}(?:\s+[A-Za-z0-9+/=]{16,})+/g)].map(
    ({ 0: body, index }) => ({
      kind: "private-key",
      start: index,
      end: index + body.length,
    }),
  )
}
