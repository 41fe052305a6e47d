import { blank, type Finding } from "../finding.ts"
import type { Run } from "../values/long-runs.ts"
import { isPlaceholder } from "../values/placeholders.ts"
import { mayHoldKeyword, secretKeywords } from "../values/secret-keywords.ts"

const base64 = /[A-Za-z0-9+/_-]{16,}={0,2}/g
/** Longer texts are files, not logins. */
const longestLogin = 4000
const loginContext = /auth|basic|login|cred|registry|identity|encoded|decode|secret|passw|netrc/i
const reach = 60

/** Finds logins and settings in base64: assignments of secrets, or `user:password` in the context of a login. */
export function findEncodedLogins(text: string, runs: readonly Run[]): Finding[] {
  const found: Finding[] = []
  for (const { run, index } of runs) {
    for (const { 0: piece, index: at } of run.matchAll(base64)) {
      const start = index + at
      if (piece.length > longestLogin || !holdsSecret(piece, text.slice(Math.max(0, start - reach), start)))
        continue
      found.push({ kind: "encoded-login", start, end: start + piece.length })
    }
  }
  return found
}

/** Whether the first twelve bytes decode to plain text. */
function beginsReadable(piece: string): boolean {
  return readable.test(Buffer.from(piece.slice(0, 16), "base64").toString("latin1"))
}

const readable = /^[\x20-\x7e\r\n\t]{8,}$/

function holdsSecret(piece: string, before: string): boolean {
  if (!beginsReadable(piece)) return false
  if (/PRIVATE KEY|openssh-key-v1/.test(Buffer.from(piece.slice(0, 80), "base64").toString("latin1")))
    return true
  const inside = Buffer.from(piece, "base64").toString("latin1")
  if (!readable.test(inside)) return false
  if (/^[\w.@+-]{1,60}:[^\s:/]{4,200}$/.test(inside)) {
    const password = inside.slice(inside.indexOf(":") + 1)
    return loginContext.test(before) && !isPlaceholder(password)
  }
  return (
    mayHoldKeyword(inside.toLowerCase()) && secretKeywords(inside).some(({ end }) => assigns(inside, end))
  )
}

/** Whether a word inside is followed by a value. */
function assigns(inside: string, end: number): boolean {
  const value = /^[\w-]{0,20}["']?\s{0,3}[:=]\s{0,3}["']?([^\s"',}]{4,})/.exec(
    inside.slice(end, end + 300),
  )?.[1]
  return value !== undefined && !isPlaceholder(value)
}

/** Matches a Kubernetes manifest of kind Secret. */
export const manifestHint = /kind["']?:\s{0,3}["']?Secret["']?\s{0,3}(?:[,}\n]|$|\\n)/

const block =
  /(?<![\w-])(?:data|stringData)["']?:[ \t]{0,3}(?<open>\{?)[ \t]{0,3}(?:\\?\r?\n|(?=["'\w{])|\\n)/g
const line =
  /(?:[ \t]{1,40}|["'{, \t\\n]{1,40})["']?[\w./-]{1,80}\\?["']?:[ \t]{0,4}(?:[|>][+-]?[ \t]*\r?\n)?[ \t]{0,40}\\?["']?(?<value>[^\s"'\\,}\uFFFC]{3,8000})\\?["']?[ \t]{0,3},?(?:[ \t]*(?:\r?\n|\\n)|(?=[ \t]*["'}\\])|$)/dy
const continued = /[ \t]{3,40}[A-Za-z0-9+/=_.-]{16,}(?:\r?\n|$)/y

/** Finds every value below `data` and `stringData` of a Kubernetes Secret. */
export function findInManifests(text: string): Finding[] {
  const found: Finding[] = []
  for (const { 0: head, index } of text.matchAll(block)) {
    for (let at = index + head.length; ; ) {
      line.lastIndex = at
      const match = line.exec(text)
      const [start, end] = match?.indices?.groups?.value ?? []
      if (match === null || start === undefined || end === undefined) break
      const value = text.slice(start, end)
      at = line.lastIndex
      if (!value.includes(blank) && !isPlaceholder(value)) found.push({ kind: "secret", start, end })
      at = blockEnd(text, at, found)
    }
  }
  return found
}

/** Adds the further lines of a multi-line value, and returns its end. */
function blockEnd(text: string, from: number, found: Finding[]): number {
  let at = from
  for (;;) {
    continued.lastIndex = at
    const match = continued.exec(text)
    if (match === null) return at
    const value = match[0].trim()
    const start = at + match[0].indexOf(value)
    found.push({ kind: "secret", start, end: start + value.length })
    at = continued.lastIndex
  }
}
