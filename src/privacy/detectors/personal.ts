import type { Detector, Finding } from "../finding.ts"
import {
  ibanLength,
  isCpfValid,
  isDniValid,
  isIbanValid,
  isLuhnValid,
  isNhsValid,
} from "../values/checksums.ts"

const worthLooking = /@|\d[\d ().-]{5,}\d|\d{7}|[A-Z]{2}\d{2}/

/** Whether the text may contain personal data; a cheap test. */
export function mayHoldPersonal(text: string): boolean {
  return worthLooking.test(text)
}

/** Finds e-mail addresses, and telephone, card, account and identity numbers. */
export function findPersonal(text: string): Finding[] {
  return detectors.flatMap((detect) => detect(text))
}

/** The kinds of findings that are personal data; all others are secrets. */
export const personalKinds: ReadonlySet<string> = new Set([
  "email",
  "phone",
  "payment-card",
  "iban",
  "us-ssn",
  "brazil-cpf",
  "spain-dni",
  "uk-nhs",
  "canada-sin",
  "passport",
])

/** A detector for the group `number` of a pattern whose value, without separators, passes the check. */
function numbers(
  kind: string,
  pattern: RegExp,
  isValid: (plain: string, whole: string) => boolean,
): Detector {
  return (text) => {
    const found: Finding[] = []
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.groups?.number ?? []
      const whole = match.groups?.number ?? ""
      if (start === undefined || end === undefined) continue
      if (isValid(whole.replaceAll(/[^A-Za-z0-9]/g, ""), whole)) found.push({ kind, start, end })
    }
    return found
  }
}

const domain =
  /@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}(?<top>[A-Za-z]{2,24})(?![A-Za-z0-9@])/y
const localPart = /[A-Za-z0-9][A-Za-z0-9._%+'-]{0,63}$/
const longestLocal = 64
/** Endings of files and systemd units with an @ in their names, and of local networks. */
const noTop =
  /^(?:png|jpe?g|gif|svg|webp|avif|ico|pdf|[jt]sx?|[cm]js|json|md|css|scss|html?|ya?ml|toml|lock|tgz|zip|gz|service|socket|timer|target|mount|conf|local|localhost|internal|lan|home|test|invalid|example|arpa|onion|py|rs|go|rb|java|sql|txt|log)$/i

function findEmails(text: string): Finding[] {
  const found: Finding[] = []
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    domain.lastIndex = at
    const host = domain.exec(text)
    if (host === null || noTop.test(host.groups?.top ?? "")) continue
    const before = text.slice(Math.max(0, at - longestLocal), at)
    const local = localPart.exec(before)?.[0]
    if (local === undefined) continue
    const address = { kind: "email", start: at - local.length, end: at + host[0].length }
    if (!isNobody(local, host[0].slice(1)) && !isLogin(text, address)) found.push(address)
  }
  return found
}

/** Addresses that belong to no person: examples, no-reply addresses, git's own. */
function isNobody(local: string, host: string): boolean {
  if (/(?:^|\.)example\.(?:com|org|net|edu)$/i.test(host) || /(?:^|\.)noreply\./i.test(host)) return true
  return /^(?:git|no-?reply|do-?not-?reply|mailer-daemon|postmaster|username|your[-._]?(?:name|email))$/i.test(
    local,
  )
}

/** Whether it is a login on a machine, as in URLs, ssh and scp. */
function isLogin(text: string, { start, end }: Finding): boolean {
  if (/^:(?:[\w~/.]|$)/.test(text.slice(end, end + 2)) && !/^:\d{1,2}\b/.test(text.slice(end, end + 4)))
    return true
  const before = text.slice(Math.max(0, start - 40), start)
  return /\/\/(?:[^\s/\uFFFC]*:)?$|\b(?:ssh|scp|rsync|sftp|mosh|ssh-copy-id)(?:\s+-{1,2}[\w-]+(?:[= ][\w./~]+)?){0,3}\s+["']?$/.test(
    before,
  )
}

/** The number lengths of each card brand, by prefix. */
const brands: readonly [RegExp, readonly number[]][] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  [/^(?:30[0-5]|36|38|39)/, [14]],
  [/^35(?:2[89]|[3-8])/, [16]],
  [/^62/, [16, 19]],
  [/^(?:50|5[6-9]|6[0-9])/, [16]],
]

function isCard(digits: string, whole: string): boolean {
  // Numbers of other lengths without separators are usually ids.
  if (!/[ -]/.test(whole) && ![14, 15, 16].includes(digits.length)) return false
  const isBrand = brands.some(([begin, lengths]) => begin.test(digits) && lengths.includes(digits.length))
  return isBrand && isLuhnValid(digits) && new Set(digits).size > 1
}

function findIbans(text: string): Finding[] {
  const found: Finding[] = []
  const pattern =
    /(?<![A-Za-z0-9])(?<country>[A-Z]{2})\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3}(?![A-Za-z0-9]))?/g
  for (const { 0: whole, index, groups } of text.matchAll(pattern)) {
    const wanted = ibanLength((groups?.country ?? "").toUpperCase())
    if (wanted === undefined) continue
    const end = endOfSigns(whole, wanted)
    if (end === undefined || /^[A-Za-z0-9]/.test(text.slice(index + end, index + end + 1))) continue
    const plain = whole.slice(0, end).replaceAll(/[^A-Za-z0-9]/g, "")
    if (isIbanValid(plain.toUpperCase())) found.push({ kind: "iban", start: index, end: index + end })
  }
  return found
}

/** The position after this many letters and digits. */
function endOfSigns(text: string, wanted: number): number | undefined {
  let seen = 0
  for (let index = 0; index < text.length; index += 1) {
    if (/[A-Za-z0-9]/.test(text[index] ?? "")) seen += 1
    if (seen === wanted) return index + 1
  }
  return undefined
}

function isPhone(digits: string, whole: string): boolean {
  if (digits.length < 8 || digits.length > 15 || new Set(digits).size < 3) return false
  // +1 followed by a number that is not valid in North America is arithmetic.
  return !whole.startsWith("+1") || /^1[2-9]\d{9}$/.test(digits)
}

const isAnything = () => true

const detectors: readonly Detector[] = [
  findEmails,
  findIbans,
  numbers(
    "payment-card",
    /(?<![\w.+-])(?<number>[2-6]\d{3}(?:[ -]?\d{2,6}){2,4}|3\d{3}[ -]?\d{6}[ -]?\d{4,5})(?![\w]|[.-]\d)/dg,
    isCard,
  ),
  numbers(
    "phone",
    /(?<![\w.+/=:-])(?<number>\+[1-9]\d{0,2}[ .\-/]?(?:\(0?\d{1,4}\)[ .-]?)?\d{1,5}(?:[ .\-/]?\d{2,5}){1,5})(?![\w]|[.-]\d)/dg,
    isPhone,
  ),
  numbers(
    "phone",
    /(?<![\w.+/=:-])(?<number>(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4})(?![\w]|[.-]\d)/dg,
    isAnything,
  ),
  numbers(
    "phone",
    /(?<![\w.+/=:-])(?<number>(?:01[567]\d[ /-]\d{3,4}[ ]?\d{3,4}|07\d{3}[ -]\d{3}[ ]?\d{3}))(?![\w]|[.-]\d)/dg,
    isAnything,
  ),
  numbers(
    "phone",
    /\b(?:phone|telephone|tel|mobile|mobil|cell|fax|handy|telefon|whatsapp|call me|text me|nummer)(?: ?(?:number|no|nr|#))?\.?(?: (?:is|at|on|ist))?[:=]?\s{0,3}["'`]?(?<number>(?:\+|00|0)?\(?\d{2,5}\)?(?:[ .\-/]?\d{2,5}){1,5})(?![\w]|[.:-]\d)/dgi,
    (digits) => digits.length >= 7 && digits.length <= 15,
  ),
  numbers(
    "us-ssn",
    /(?<![\w.-])(?<number>(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4})(?![\w]|[.-]\d)/dg,
    isAnything,
  ),
  numbers(
    "us-ssn",
    /\b(?:ssn|social security(?: number| no\.?)?)(?: is)?[:=#]?\s{0,3}(?<number>(?!000|666|9\d\d)\d{3}[ ]?(?!00)\d{2}[ ]?(?!0000)\d{4})(?![\w]|[.-]\d)/dgi,
    isAnything,
  ),
  numbers("brazil-cpf", /(?<![\w.-])(?<number>\d{3}\.\d{3}\.\d{3}-\d{2})(?![\w-])/dg, isCpfValid),
  numbers("spain-dni", /(?<![\w.-])(?<number>(?:\d{8}|[XYZ]\d{7})-?[A-Z])(?![\w-])/dg, (plain) =>
    isDniValid(plain),
  ),
  numbers(
    "uk-nhs",
    /\bNHS(?: (?:number|no\.?))?(?: is)?[:=#]?\s{0,3}(?<number>\d{3}[ -]?\d{3}[ -]?\d{4})(?!\w)/dgi,
    isNhsValid,
  ),
  numbers(
    "canada-sin",
    /\bSIN(?: (?:number|no\.?))?(?: is)?[:=#]?\s{0,3}(?<number>\d{3}[ -]?\d{3}[ -]?\d{3})(?!\w)/dg,
    isLuhnValid,
  ),
  numbers(
    "passport",
    /\bpassport(?: ?(?:number|no\.?|nr\.?|#))?(?: is)?[:=#]?\s{0,3}(?<number>[A-Z]{0,2}\d{6,9}[A-Z]?)(?!\w)/dgi,
    isAnything,
  ),
]
