import { blank, type Finding, findValues } from "../finding.ts"
import { isOrdinary, isPlaceholder } from "../values/placeholders.ts"
import { isRandomText, randomnessBits } from "../values/randomness.ts"

/** The groups of hints for codes. */
type CodeGroup = "codes" | "recovery" | "licences" | "networks" | "mail" | "seeds"

/** One sort of code, the words that introduce it, and its format. */
interface Topic {
  kind: string
  /** The group whose hints must be in the text. */
  group: CodeGroup
  keywords: RegExp
  /** A sticky pattern for one code. */
  code: RegExp
  isCode(value: string): boolean
  /** How many characters after the words a code may begin. */
  reach: number
  /** Must also match the text. */
  hint?: RegExp
  /** Whether ambiguous words are about something that a code opens. */
  isRelevant?(text: string, start: number, end: number): boolean
}

const lockedThings =
  "door|gate|alarm|access|entry|entrance|keypad|key pad|safe|locker|lock|lockbox|key ?box|garage|unlock|security|voicemail|vault|building|elevator|lift|disarm|arming|master|override|parking|intercom|office|server ?room|rack|cage|bike|suitcase|gun|gym|apartment|house|front|back|lobby|mailbox|sim|screen|phone|card|debit|credit|atm|tür|haustür|tor|alarmanlage|schloss|tresor|garagen|porte|portail|puerta|porta"
const thingBefore = new RegExp(
  String.raw`(?<![\p{L}])(?:${lockedThings})s?[ \t-]{0,2}(?:\p{L}{1,12}[ \t]){0,2}$`,
  "iu",
)
const thingBehind = new RegExp(
  String.raw`^[ \t](?:for|of|to|at|on|für|von|vom|zum|zur|der|du|de|del|di|della|da|do)(?:[ \t]\p{L}[\p{L}\d'-]{0,20}){0,4}?[ \t-](?:${lockedThings})s?(?![\p{L}])`,
  "iu",
)
const opens = /^(?:keypad|lockbox|key ?box|disarm|\p{L}+code$)/iu

/** Whether it is the code of a door, a safe or a card, and not source code or an error code. */
function opensSomething(text: string, start: number, end: number): boolean {
  const words = text.slice(start, end)
  const behind = text.slice(end, end + 80)
  if (opens.test(words) || thingBefore.test(text.slice(Math.max(0, start - 40), start))) return true
  if (/^enter$/i.test(words))
    return /^[ \t]\d{4,8}[*#]?[ \t](?:on|at|into)[ \t](?:\p{L}{1,12}[ \t]){0,3}(?:keypad|door|gate|alarm|panel|safe)/iu.test(
      behind,
    )
  return thingBehind.test(behind)
}

const topics: readonly Topic[] = [
  {
    kind: "pin",
    group: "codes",
    hint: /\d{3}|\d-\d/,
    keywords:
      /(?<![\p{L}])(?:codes?|c[oó]digos?|codic[ei]|combination|combo|kombination|keypad|lockbox|key ?box|(?:tür|haustür|tor|alarm)code|disarm(?:s|ed)?(?: with| by| using)?|(?:opens|unlocks|opened|unlocked|disarmed|disarms) (?:with|by|using)|enter)(?![\p{L}])/giu,
    isRelevant: opensSomething,
    code: /[*#]?\d(?:[\d-]){2,11}[*#]?(?![\d.,:]?\d|[\w%])/y,
    isCode: isAccessCode,
    reach: 48,
  },
  {
    kind: "pin",
    group: "codes",
    hint: /\d{4}/,
    keywords:
      /(?<![\p{L}])(?:(?:verification|confirmation|one[- ]?time|2fa|mfa|sms|otp|authenticator|login|sign-?in)[ \t-]{0,2}(?:pass)?codes?|otp|puk|tan|pin(?:['’]s| code| number)?)(?![\p{L}-])/giu,
    code: /\d{4,10}(?![\d.,:]?\d|[\w%-])/y,
    isCode: isAccessCode,
    reach: 12,
  },
  {
    kind: "recovery-code",
    group: "recovery",
    keywords:
      /(?<![\p{L}])(?:(?:recovery|backup|scratch|emergency|one[- ]?time|2fa|mfa|reserve|rescue)[ \t_-]{0,2}(?:(?:login|access|recovery|backup|2fa|sign-in)[ \t-])?(?:codes?|keys?)|(?:2fa|mfa)[ \t](?:recovery|backup)|(?:c[oó]digos?|codic[ei]|codes?)[ \t]d[eio][ \t](?:recupera\p{L}{1,5}|recupero|respaldo|secours|récupération)|wiederherstellungscodes?|herstelcodes?)(?![\p{L}])/giu,
    code: /[A-Za-z0-9]{4,12}(?:[-–][A-Za-z0-9]{3,12}){1,9}(?![\w-])|\d{4}[ ]\d{4}(?:[ ]\d{4})?(?![\w-])|[a-z0-9]{4}(?:[ ][a-z0-9]{4}){3,8}(?![\w-])|[A-Za-z0-9]{6,16}(?![\w-])/y,
    isCode: isRecoveryCode,
    reach: 90,
  },
  {
    kind: "licence-key",
    group: "licences",
    hint: /[A-Z0-9]{4}-[A-Z0-9]{4}|key/,
    keywords:
      /(?<![\p{L}])(?:licen[sc]e|lizenz(?:schlüssel)?|serial|activat(?:ion|e)|product[- ]?key|volume[- ]?key|server key|office key|windows key)(?![\p{L}])/giu,
    code: /[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){1,7}(?![\w-])|[A-Z][A-Z0-9](?:-[A-Z0-9]{4,8}){3,7}(?![\w-])|(?<=(?:key|licence|license)[^\n]{0,30})[A-Z0-9]{8,30}(?![\w-])/y,
    isCode: isProductKey,
    reach: 60,
  },
  {
    kind: "password",
    group: "networks",
    keywords:
      /(?<![\p{L}])(?:wi-?fi|wlan|ssid|wireless|hotspot|guest network|wpa[23]?)(?![\p{L}])[^\n\uFFFC.]{0,50}?(?<![\p{L}])(?:key|pass(?:word|phrase|wd)?|pw|psk|code|schl(?:ü|ue)ssel|sleutel|clave|clé|chiave|chave)(?![\p{L}])/giu,
    code: /[\p{L}\d!@#$%^&*+?_.-]{8,63}/uy,
    isCode: isNetworkKey,
    reach: 40,
  },
  {
    kind: "password",
    group: "mail",
    keywords:
      /(?<![\p{L}])(?:app(?:lication)?[- ]?(?:specific[- ]?)?(?:pass(?:word|wd|wort|phrase)?s?|pw)|smtp[ _-]?pass(?:word)?)(?![\p{L}])/giu,
    code: /[a-z]{4}(?:[ -][a-z]{4}){3}(?![\p{L}\d-]| ?[a-z]{4}[ -])|[a-z0-9]{16}(?![\w-])/iuy,
    isCode: (value) =>
      value.includes(" ") || value.includes("-") ? randomnessBits(value) > -4 : isRandomText(value),
    reach: 40,
  },
]

/** Sixteen letters in groups of four, as mail providers print app passwords. */
const fours = /(?<![\p{L}\d-])(?<value>[a-z]{4}(?:[ -][a-z]{4}){3})(?![\p{L}\d-]|[ -][a-z]{4}(?![a-z]))/dgu
/** "4711 opens the garage", "… is the code of the door". */
const before =
  /(?<![\w.,:-])(?<value>\d{4,8})[ \t](?:opens|unlocks|disarms|is the (?:\p{L}{1,14}[ \t]){0,3}(?:code|pin|combination))(?![\p{L}])/dgiu
const authenticatorSeed =
  /(?:otpauth:\/\/[^\s"'`\uFFFC]{0,200}?secret=|(?:totp|otp|2fa|mfa|TOTP|OTP|2FA|MFA|[Aa]uthenticator)[^\n\uFFFC]{0,40}?(?:[Ss]ecret|SECRET|[Ss]eed|SEED|[Kk]ey|KEY)["'`]?(?:[^\n:=\uFFFC]{0,40}?(?:[:=→]|->|\bis|\bwas))?["'`\s]{0,3})(?<![A-Za-z0-9])(?<value>[A-Z2-7]{4}(?:[ -]?[A-Z2-7]{4}){3,15}[A-Z2-7]{0,3}|[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,15})(?![A-Za-z0-9])/dg
/** `code: "…"` and `pin: …` in settings. */
const setCode =
  /(?<=^[ \t-]{0,20}["']?(?:\w{1,20}[_-])?(?:code|pin|usercode|passcode)["']?[ \t]{0,2}[:=][ \t]{0,3}["']?)(?<value>\d{4,8})(?=["']?,?[ \t]{0,3}(?:#[^\n]{0,80})?\r?$)/dgm
const opened =
  /alarm|lock|door|gate|garage|keypad|safe|vault|sim\b|unlock|card|voicemail|disarm|yubikey|device/i
const network = /WIFI:(?:[A-Z]:[^;\n\uFFFC]{0,80};){0,4}P:(?<value>[^;\n\uFFFC]{4,80})/dg

/** Finds codes by the words that say what they open: doors, cards, mail, licences, networks, second factors. */
export function findCodes(text: string, may: ReadonlySet<string>): Finding[] {
  const found = topics.flatMap((topic) => (may.has(topic.group) ? codesOf(text, topic) : []))
  const take = (kind: string, pattern: RegExp, isOne: (value: string) => boolean) =>
    found.push(...findValues(text, pattern, kind, isOne))
  if (may.has("codes")) {
    take("pin", before, isAccessCode)
    if (opened.test(text)) take("pin", setCode, isAccessCode)
  }
  if (may.has("mail")) take("password", fours, (value) => randomnessBits(value) > 8)
  if (may.has("seeds")) take("secret", authenticatorSeed, (value) => !isPlaceholder(value) && !isProse(value))
  if (may.has("networks")) take("password", network, (value) => !isPlaceholder(value))
  return found
}

/** The codes after each occurrence of the words, including all of a list. */
function codesOf(text: string, topic: Topic): Finding[] {
  const found: Finding[] = []
  if (topic.hint?.test(text) === false) return found
  let covered = 0
  for (const { 0: words, index } of text.matchAll(topic.keywords)) {
    const behind = index + words.length
    if (topic.isRelevant?.(text, index, behind) === false) continue
    const listed = codesBehind(text, Math.max(covered, behind), topic)
    found.push(...listed)
    covered = listed.at(-1)?.end ?? covered
  }
  return found
}

/** One code or a list of codes within the topic's reach from here. */
function codesBehind(text: string, from: number, topic: Topic): Finding[] {
  const found: Finding[] = []
  let at = from
  let until = from + topic.reach
  for (;;) {
    const start = nextWord(text, at, until)
    if (start === undefined) return found
    const end = codeAt(text, start, topic)
    at = end ?? wordEnd(text, start)
    if (end !== undefined) {
      found.push({ kind: topic.kind, start, end })
      until = end + betweenCodes
    }
    // A list ends at a word that is neither a code nor a conjunction.
    else if (found.length > 0 && !joins.test(text.slice(start, at))) return found
  }
}

const betweenCodes = 16
const joins = /^(?:\d{1,2}[.):]?|and|or|und|then|now|to|[*•#|/&+-]+)$/i
const wordSign = /[\p{L}\d*#]/u

/** The start of the next word in the same sentence. */
function nextWord(text: string, from: number, until: number): number | undefined {
  for (let at = from; at < until && at < text.length; at += 1) {
    const sign = text.charAt(at)
    if (sign === blank) return undefined
    if ((sign === "." || sign === "?" || sign === "!") && /\s|$/.test(text.charAt(at + 1))) return undefined
    // An amount of money is not a code.
    if (sign === "$" || sign === "€" || sign === "£") return undefined
    if (wordSign.test(sign)) return at
  }
  return undefined
}

function wordEnd(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && at - from < 40 && !/[\s\uFFFC]/.test(text.charAt(at))) at += 1
  return at
}

function codeAt(text: string, start: number, { code, isCode: isOne }: Topic): number | undefined {
  code.lastIndex = start
  const value = code.exec(text)?.[0].replace(/[.?!]+$/, "")
  return value !== undefined && isOne(value) ? start + value.length : undefined
}

function isAccessCode(value: string): boolean {
  const digits = value.replaceAll(/\D/g, "")
  if (digits.length < 3 || digits.length > 12 || /-$|--/.test(value)) return false
  return !/^(?:(?:19|20)\d\d(?:-\d\d){0,2}|[45]\d\d|200|201|204|30[1278])$/.test(value)
}

function isRecoveryCode(value: string): boolean {
  if (isPlaceholder(value) || /^(?:19|20)\d\d$/.test(value)) return false
  const compact = value.replaceAll(/[-– ]/g, "")
  if (compact.length < 6) return false
  if (/\d/.test(compact)) return !isMeasure.test(value)
  return compact !== value && randomnessBits(value) > 4
}

const isMeasure =
  /^(?:\d{1,6}[a-z]{1,10}|[a-z]{2,}\d{1,2}|[A-Z][a-z]+\d+|\d{4}-\d\d(?:-\d\d)?|v\d.*|[a-z]+(?:-[a-z]+)*-\d{1,2}|(?:sha|md|aes|rsa|base|utf|ed|oauth|rfc)-?\d+\w*)$/i

function isNetworkKey(value: string): boolean {
  if (!/\d/.test(value) || isPlaceholder(value)) return false
  if (/^\d{8,}$/.test(value) || /^[0-9a-f]{8,20}$/i.test(value)) return true
  if (!/\p{L}/u.test(value) || isOrdinary(value)) return false
  return !/^(?:wpa|wep|eap|peap|802|ieee|tkip|aes|ccmp)/i.test(value) && !/\.\p{L}{2,4}$/u.test(value)
}

function isProse(value: string): boolean {
  return value.includes(" ") && randomnessBits(value) < 4
}

function isProductKey(value: string): boolean {
  const isMixed = /[A-Z]/.test(value) && /\d/.test(value)
  const isDated = /\d{4}-\d\d-\d\d|^(?:CVE|RFC|ISO|PR|ISSUE|JIRA|[A-Z]{2,6})-\d+(?:-\d+)?$/.test(value)
  return isMixed && !isDated && randomnessBits(value) > 4 && !isPlaceholder(value)
}
