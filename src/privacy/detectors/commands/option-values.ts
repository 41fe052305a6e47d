import type { Finding } from "../../finding.ts"
import { isTypedPlaceholder } from "../../values/placeholders.ts"
import { randomnessBits } from "../../values/randomness.ts"
import type { ValueFormat } from "./programs.ts"
import type { ShellWord } from "./shell-words.ts"

/** The secret part of a word from this index on. If `isSure`, a plain word counts as a password. */
export function secretInValue(word: ShellWord, from: number, shape: ValueFormat, isSure: boolean): Finding[] {
  const value = word.text.slice(from)
  const found = partOf(shape, value, isSure)
  if (found === undefined) return []
  const [start, end, kind] = found
  return [{ kind, start: word.offsetOf(from + start), end: word.offsetOf(from + end - 1) + 1 }]
}

type Part = [start: number, end: number, kind: string]

function partOf(shape: ValueFormat, value: string, isSure: boolean): Part | undefined {
  switch (shape) {
    case "header":
      return headerPart(value)
    case "cookie":
      return cookiePart(value)
    case "login":
      return behind(value, value.indexOf(":"), (password) => !/^\d{1,5}$/.test(password))
    case "percent":
      return behind(value, value.indexOf("%"))
    case "comma":
      return behind(value, value.indexOf(","))
    case "pair":
      return behind(value, value.indexOf("="))
    case "slash": {
      const at = value.indexOf("@")
      const login = at < 0 ? value : value.slice(0, at)
      return /^[\w$#]+\/(?!\/)/.test(login) ? behind(login, login.indexOf("/")) : undefined
    }
    default:
      return isPasswordText(value, isSure) ? [0, trimmed(value), "password"] : undefined
  }
}

/** The password after a separator, if there is one. */
function behind(value: string, separator: number, isAllowed = (_: string) => true): Part | undefined {
  if (separator < 0) return undefined
  const end = trimmed(value)
  const password = value.slice(separator + 1, end)
  return isPasswordText(password, true) && isAllowed(password) ? [separator + 1, end, "password"] : undefined
}

/** The end of the value without closing punctuation of the surrounding text. */
function trimmed(value: string): number {
  const cut = /[)\]},.]+$/.exec(value)
  return cut === null || /[([{]/.test(value) || cut.index < 3 ? value.length : cut.index
}

/** Words that follow an option in prose. */
const prose =
  /^(?:is|are|was|asks?|only|takes?|means?|sets?|reads?|needs?|prompts?|flags?|options?|the|an?|and|or|with|without|for|from|to|in|on|of|as|if|when|then|but|not|does|works|will|can|must|should|because|here|instead|again|also|it|its|that|this|which|value|variable|argument|switch|parameter|too|alone)$/i

function isPasswordText(value: string, isSure: boolean): boolean {
  if (value.length < 3 || isTypedPlaceholder(value) || /^[-$%<{]|^@|^\.{0,2}\/|…|\*\*/.test(value))
    return false
  if (/^(?:stdin$|(?:env|file|fd):)/i.test(value) || prose.test(value)) return false
  return isSure || /[\d!@#$%^&*?+~]|[a-z][A-Z]/.test(value)
}

const secretHeader =
  /^(?:(?:proxy-)?authorization|cookie|[\w-]*(?:api-?key|key|token|secret|auth|signature|session(?:-?id)?|credential|password)[\w-]*)$/i
const scheme =
  /^\s*(?:(?:basic|bearer|token|apikey|api-key|digest|negotiate|key|bot|splunk|genieKey|jwt)[ =]+)?["']?/i

/** The value of a header with credentials, without the name of the scheme. */
function headerPart(value: string): Part | undefined {
  const colon = value.indexOf(":")
  if (colon <= 0 || !secretHeader.test(value.slice(0, colon).trim())) return undefined
  if (/^cookie$/i.test(value.slice(0, colon).trim())) return cookiePart(value)
  const start = colon + 1 + (scheme.exec(value.slice(colon + 1))?.[0].length ?? 0)
  const end = trimmed(value)
  const secret = value.slice(start, end)
  const isSecret = secret.length >= 6 && !/\s/.test(secret) && isPasswordText(secret, false)
  return isSecret || (isPasswordText(secret, true) && randomnessBits(secret) > 6)
    ? [start, end, "authorization"]
    : undefined
}

/** The first cookie with a random value. */
function cookiePart(value: string): Part | undefined {
  for (const { index, groups } of value.matchAll(cookies)) {
    const { name = "", secret = "" } = groups ?? {}
    const start = index + name.length + 1
    const isSecret =
      secret.length >= 12 && !isTypedPlaceholder(secret) && randomnessBits(secret) / secret.length > 0.4
    if (isSecret) return [start, start + secret.length, "cookie"]
  }
  return undefined
}

const cookies = /(?<name>[\w.%-]{1,60})=(?<secret>[^;\s]{0,4000})/g
