import type { Finding } from "../finding.ts"
import { isGeneratedValue, saysPublic } from "../values/generated-value.ts"
import { isOrdinary, isPlaceholder } from "../values/placeholders.ts"
import { isRandomText, randomnessBits } from "../values/randomness.ts"

/** The name before the equals sign: in capitals, or any name after a word that sets variables. */
const nameBefore =
  /(?:(?<![\w?&.-])(?:(?<how>export|env|set|declare -x|-e|--env|--build-arg|\$env:|Environment=["']?)[ \t]{0,3}))?(?<![\w?&.-])(?<name>[A-Za-z_][\w.]{1,60})[ \t]{0,2}$/
const valueBehind = /[ \t]{0,2}["']?(?<value>[^\s"'`;,<>\uFFFC]{12,500})/dy
/** `ENV NAME value`, `set -gx NAME value`, `setx NAME value`. */
const spaced =
  /(?<![\w-])(?:ENV|ARG|setx|setenv|set -\w{1,4})[ \t]{1,3}(?<name>[A-Za-z_]\w{1,60})[ \t=]{1,3}["']?(?<value>[^\s"'`;,<>\uFFFC]{8,500})/dg
/** `NAME: value` as in YAML. */
const listed =
  /(?<![\w-])(?<name>[A-Z][A-Z0-9_]{2,60})["']?:[ \t]{1,3}["']?(?<value>[^\s"'`;,<>\uFFFC]{12,500})/dg

const others = [
  [spaced, /\b(?:ENV|ARG|setx|setenv|set -)/],
  [listed, /[A-Z0-9_]{3}["']?: /],
] as const

/** Finds random values of environment variables, whatever their names. */
export function findVariableValues(text: string): Finding[] {
  const found = findAssigned(text)
  for (const [pattern, hint] of others) {
    if (!hint.test(text)) continue
    for (const { groups, indices } of text.matchAll(pattern)) {
      const { name = "", value = "" } = groups ?? {}
      const [start] = indices?.groups?.value ?? [0]
      if (isSecretSetting(name, value)) found.push({ kind: "env-value", start, end: start + value.length })
    }
  }
  return found
}

/** At most this many equals signs inside of one value are treated as further settings. */
const mostNested = 8

/** `NAME=value` as shells, .env files, systemd, Docker and PowerShell write it. */
function findAssigned(text: string): Finding[] {
  const found: Finding[] = []
  let nested = 0
  let covered = 0
  for (let at = text.indexOf("="); at >= 0; at = text.indexOf("=", at + 1)) {
    nested = at < covered ? nested + 1 : 0
    if (nested > mostNested) {
      at = covered - 1
      continue
    }
    valueBehind.lastIndex = at + 1
    const [start, end] = valueBehind.exec(text)?.indices?.groups?.value ?? []
    if (start === undefined || end === undefined) continue
    covered = Math.max(covered, end)
    const name = nameSetAt(text, at)
    if (name !== undefined && isSecretSetting(name, text.slice(start, end)))
      found.push({ kind: "env-value", start, end })
  }
  return found
}

/** The name of the variable that is assigned here. */
function nameSetAt(text: string, at: number): string | undefined {
  const { name, how } = nameBefore.exec(text.slice(Math.max(0, at - 90), at))?.groups ?? {}
  return how !== undefined || /^[A-Z][A-Z0-9_]{2,}$/.test(name ?? "") ? name : undefined
}

/** `name = value`, `name: "value"`, `"name": "value"` with any name. */
const named =
  /(?<![\w?&./@$%#-])(?<name>[A-Za-z][\w.-]{1,60})\\?["']?[ \t]{0,3}(?::|=>?|:=)[ \t]{0,4}\\?["']?(?<value>[A-Za-z0-9][^\s"'`;,<>()[\]{}\\\uFFFC]{13,127})/dg
const lineBefore = 60

/** Finds generated values in settings of any name, unless the line says that they are ids or checksums. */
export function findNamedValues(text: string): Finding[] {
  const found: Finding[] = []
  for (const { groups, indices, index } of text.matchAll(named)) {
    const { name = "", value = "" } = groups ?? {}
    const [start] = indices?.groups?.value ?? [0]
    if (/[@:]/.test(value) || !isGeneratedValue(value, 14)) continue
    const before = text.slice(Math.max(0, index - lineBefore), index)
    const line = before.slice(before.lastIndexOf("\n") + 1)
    if (!saysPublic(name) && !saysPublic(line) && !isModuleSum(name, value))
      found.push({ kind: "env-value", start, end: start + value.length })
  }
  return found
}

/** A module's digest in Go's go.sum. */
function isModuleSum(name: string, value: string): boolean {
  return name === "h1" && /^[\w+/-]{43}=$/.test(value)
}

/** Names whose values are random but not secret. */
const harmlessName =
  /(?:^|_)(?:IDS?|UUID|GUID|SHA\d*|MD5|HASH|COMMIT|REV|REVISION|REF|DIGEST|CHECKSUM|CHECKSUMS|SUM|INTEGRITY|ETAG|VERSION|TAG|BUILD|IMAGE|FINGERPRINT|THUMBPRINT|PUBLIC|PUB|PUBKEY|ADDRESS|CONTRACT|TX|BLOCK|TRACE|TRACEPARENT|SPAN|NONCE|CID|ARN|URL|URI|HOST|PATH|FILE|DIR|COLORS?|REGEX|PATTERN|ALPHABET|CHARS|CHARSET|FORMAT|DATE|NAME|USER|SEED_NUMBER)$|(?:[a-z](?:Id|Hash|Sha|Digest|Version)$)/
const secretName = /PASS|PWD|SECRET|TOKEN|AUTH|CRED|PRIVATE|SALT|SIGN|API_?KEY|(?:^|_)KEY$/i
const hex = /^(?:0x)?[0-9a-f]{32,}$/i
/** Values that are public: public keys, labelled digests, images, certificates. */
const publicValue =
  /^(?:AAAA[BCE]|sha\d+[-:]|data:|ssh-|v?\d+\.\d|ey[JIK]\w*$|pk_|G-|UA-)|:\/\/|^[./~$%{(]|^[\w-]+\(|\$\{|\$\(/

function isSecretSetting(name: string, value: string): boolean {
  if (publicValue.test(value) || isPlaceholder(value)) return false
  const isTelling = secretName.test(name)
  if (harmlessName.test(name) && !isTelling) return false
  if (hex.test(value)) return true
  if (isOrdinary(value) || /[\\@]|(?<!^\d{6,12}):/.test(value)) return false
  const body = value.replace(/=+$/, "").replace(/^\d{6,}:/, "")
  if (!/\d/.test(body) && body.length < 24 && randomnessBits(body) < body.length) return false
  return isRandomText(body, isTelling ? 8 : 12)
}
