import { type Finding, findValues } from "../../finding.ts"
import type { Run } from "../../values/long-runs.ts"

const hexRuns = /(?<![A-Za-z0-9+/])(?:0x)?[0-9a-fA-F]{32,128}(?![A-Za-z0-9+/=])/g

/** Whether there may be a key; a cheap test. */
export function mayBeHexKey(runs: readonly Run[]): boolean {
  return runs.some(({ run }) => run.length >= 32 && /[0-9a-f]{32}/i.test(run))
}

const reach = 70
/** Words for secret keys, which apply anywhere on the line. */
const keyMaterial =
  "private|priv(?:ate)?[ _-]?key|priv|privkey|prv|sk|hot[ _-]?key|accounts|seed|mnemonic|entropy|signer|deployer|wallet|keystore|master[ _-]?key|xprv|secret"
/** Words for keys, which apply only right before the value. */
const key =
  "key|keys|hmac|pepper|salt|token|passphrase|auth|pre-?auth|oauth|unseal|claim|routing|integration|ingest"
/** Words for hexadecimal values that are not secret. */
const open =
  "tx|txn|transaction|hash|commit|block|address|addr|contract|public|pubkey|digest|sha\\d*|md5|checksum|etag|revision|rev|ids?|uuid|trace|span|request|fingerprint|thumbprint|image|layer|blob|tree|object|build|cache|merge|revert|cherry|version|idempotency|partition|primary|foreign|sort|signature|topic|event|slot|root|cid|screenshot|file|fix|see|since|in|of|from|after|before|by|at"
const naming = new RegExp(
  `(?<![A-Za-z])(?:(?<material>${keyMaterial})|(?<key>${key})|(?<open>${open}))(?![A-Za-z])`,
  "gi",
)

/** Finds keys in hexadecimal digits. The nearest word on the line decides what a value is. */
export function findHexKeys(text: string): Finding[] {
  const found: Finding[] = []
  for (const { 0: run, index } of text.matchAll(hexRuns)) {
    const end = index + run.length
    if (new Set(run).size < 6) continue
    if (isKey(lineBefore(text, index), lineAfter(text, end), run))
      found.push({ kind: "key", start: index, end })
  }
  return found
}

const derived =
  /\uFFFC["'`)\]]{0,2}[ \t]{0,3}(?:->|=>|→|=)[ \t]{0,3}(?<value>(?:0x)?[0-9a-fA-F]{32,128})(?![A-Za-z0-9+/=])/dg

/** Finds "… -> hex" after a blanked secret, because a value derived from a secret is secret too. */
export function findDerivedKeys(text: string): Finding[] {
  return findValues(text, derived, "key", () => true)
}

function lineBefore(text: string, at: number): string {
  const near = text.slice(Math.max(0, at - reach), at)
  const cut = Math.max(near.lastIndexOf("\n", near.length - 3), near.lastIndexOf("\uFFFC"))
  return near.slice(cut + 1)
}

function lineAfter(text: string, at: number): string {
  return text.slice(at, at + reach / 2).split(/[\n\uFFFC]/, 1)[0] ?? ""
}

/** Words that may be between a word for a key and its value. */
const onlyLinks =
  /^(?:[^A-Za-z]|is|was|are|the|to|as|hex|value|now|with|for|on|0x|raw|bytes|data|new|old|prod|staging|dev|test)*$/i

function isKey(before: string, after: string, run: string): boolean {
  const words = [...before.matchAll(naming)]
  const nearest = words.at(-1)
  if (nearest === undefined) {
    const [next] = after.matchAll(naming)
    return (
      next?.groups?.material !== undefined &&
      /^[\s)"'`.,:-]*(?:is|as|=|<-|for)?\s*(?:the|our|my|a)?\s*$/i.test(after.slice(0, next.index))
    )
  }
  const gap = before.slice(nearest.index + nearest[0].length)
  const said = words.find(({ groups }) => groups?.material !== undefined)
  if (nearest.groups?.open !== undefined) {
    // "the private key of the deployer": a preposition alone does not make it public.
    return (
      said !== undefined &&
      words.every(({ groups }) => groups?.open === undefined || isPreposition(groups.open)) &&
      isAssigned(before)
    )
  }
  if (nearest.groups?.material !== undefined) {
    // Forty digits may be a commit; sixty-four after a word for a secret key are that key.
    return (
      run.length >= 64 || gap.trim() === "" || /0x|[:=→>]|(?:^|\s)(?:is|was|to|as)\s/i.test(`${gap}${run}`)
    )
  }
  return onlyLinks.test(gap) && !openKey.test(before)
}

const openKey =
  /(?:public|cache|primary|foreign|sort|partition|idempotency|pub|object|dedup\w*|s3|storage|lookup)[ _-]?keys?[\W_]*$/i

function isPreposition(word: string): boolean {
  return /^(?:in|of|from|after|before|by|at|since|see)$/i.test(word)
}

function isAssigned(before: string): boolean {
  return /(?:[:=→]|->|\b(?:is|was)\b)["'`\s]*(?:0x)?$/i.test(before)
}
