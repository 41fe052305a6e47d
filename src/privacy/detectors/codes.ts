import { type Finding, findValues, hole } from "../finding.ts"
import { isOrdinary, isPlaceholder } from "../values/placeholders.ts"
import { chanceBits, isByChance } from "../values/randomness.ts"

/** Groups of hints that say which codes may be in a text. */
type CodeGroup = "codes" | "recovery" | "licences" | "networks" | "mail" | "seeds"

/** What is spoken of, and how the codes that open it look. */
interface Topic {
  kind: string
  /** Of which group a hint must be in the text. */
  group: CodeGroup
  words: RegExp
  /** How one code looks, from its beginning. */
  code: RegExp
  isOne(value: string): boolean
  /** How many characters behind the words codes may begin. */
  reach: number
  /** What must be in the text besides. */
  hint?: RegExp
  /** Whether the words, which may mean many things, speak of something that is opened. */
  isSpoken?(text: string, start: number, end: number): boolean
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

/** Whether it is the code of a door, a safe, a card, and not one of a program or an error. */
function isOfLockedThing(text: string, start: number, end: number): boolean {
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
    words:
      /(?<![\p{L}])(?:codes?|c[oó]digos?|codic[ei]|combination|combo|kombination|keypad|lockbox|key ?box|(?:tür|haustür|tor|alarm)code|disarm(?:s|ed)?(?: with| by| using)?|(?:opens|unlocks|opened|unlocked|disarmed|disarms) (?:with|by|using)|enter)(?![\p{L}])/giu,
    isSpoken: isOfLockedThing,
    code: /[*#]?\d(?:[\d-]){2,11}[*#]?(?![\d.,:]?\d|[\w%])/y,
    isOne: isOpening,
    reach: 48,
  },
  {
    kind: "pin",
    group: "codes",
    hint: /\d{4}/,
    words:
      /(?<![\p{L}])(?:(?:verification|confirmation|one[- ]?time|2fa|mfa|sms|otp|authenticator|login|sign-?in)[ \t-]{0,2}(?:pass)?codes?|otp|puk|tan|pin(?:['’]s| code| number)?)(?![\p{L}-])/giu,
    code: /\d{4,10}(?![\d.,:]?\d|[\w%-])/y,
    isOne: isOpening,
    reach: 12,
  },
  {
    kind: "recovery-code",
    group: "recovery",
    words:
      /(?<![\p{L}])(?:(?:recovery|backup|scratch|emergency|one[- ]?time|2fa|mfa|reserve|rescue)[ \t_-]{0,2}(?:(?:login|access|recovery|backup|2fa|sign-in)[ \t-])?(?:codes?|keys?)|(?:2fa|mfa)[ \t](?:recovery|backup)|(?:c[oó]digos?|codic[ei]|codes?)[ \t]d[eio][ \t](?:recupera\p{L}{1,5}|recupero|respaldo|secours|récupération)|wiederherstellungscodes?|herstelcodes?)(?![\p{L}])/giu,
    code: /[A-Za-z0-9]{4,12}(?:[-–][A-Za-z0-9]{3,12}){1,9}(?![\w-])|\d{4}[ ]\d{4}(?:[ ]\d{4})?(?![\w-])|[a-z0-9]{4}(?:[ ][a-z0-9]{4}){3,8}(?![\w-])|[A-Za-z0-9]{6,16}(?![\w-])/y,
    isOne: isRecoveryCode,
    reach: 90,
  },
  {
    kind: "licence-key",
    group: "licences",
    hint: /[A-Z0-9]{4}-[A-Z0-9]{4}|key/,
    words:
      /(?<![\p{L}])(?:licen[sc]e|lizenz(?:schlüssel)?|serial|activat(?:ion|e)|product[- ]?key|volume[- ]?key|server key|office key|windows key)(?![\p{L}])/giu,
    code: /[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){1,7}(?![\w-])|[A-Z][A-Z0-9](?:-[A-Z0-9]{4,8}){3,7}(?![\w-])|(?<=(?:key|licence|license)[^\n]{0,30})[A-Z0-9]{8,30}(?![\w-])/y,
    isOne: isProductKey,
    reach: 60,
  },
  {
    kind: "password",
    group: "networks",
    words:
      /(?<![\p{L}])(?:wi-?fi|wlan|ssid|wireless|hotspot|guest network|wpa[23]?)(?![\p{L}])[^\n\uFFFC.]{0,50}?(?<![\p{L}])(?:key|pass(?:word|phrase|wd)?|pw|psk|code|schl(?:ü|ue)ssel|sleutel|clave|clé|chiave|chave)(?![\p{L}])/giu,
    code: /[\p{L}\d!@#$%^&*+?_.-]{8,63}/uy,
    isOne: isNetworkKey,
    reach: 40,
  },
  {
    kind: "password",
    group: "mail",
    words:
      /(?<![\p{L}])(?:app(?:lication)?[- ]?(?:specific[- ]?)?(?:pass(?:word|wd|wort|phrase)?s?|pw)|smtp[ _-]?pass(?:word)?)(?![\p{L}])/giu,
    code: /[a-z]{4}(?:[ -][a-z]{4}){3}(?![\p{L}\d-]| ?[a-z]{4}[ -])|[a-z0-9]{16}(?![\w-])/iuy,
    isOne: (value) =>
      value.includes(" ") || value.includes("-") ? chanceBits(value) > -4 : isByChance(value),
    reach: 40,
  },
]

/** Sixteen letters in fours, as mail providers print them, whatever announces them. */
const fours = /(?<![\p{L}\d-])(?<value>[a-z]{4}(?:[ -][a-z]{4}){3})(?![\p{L}\d-]|[ -][a-z]{4}(?![a-z]))/dgu
/** "4711 opens the garage", "… is the code of the door". */
const before =
  /(?<![\w.,:-])(?<value>\d{4,8})[ \t](?:opens|unlocks|disarms|is the (?:\p{L}{1,14}[ \t]){0,3}(?:code|pin|combination))(?![\p{L}])/dgiu
const authenticatorSeed =
  /(?:otpauth:\/\/[^\s"'`\uFFFC]{0,200}?secret=|(?:totp|otp|2fa|mfa|TOTP|OTP|2FA|MFA|[Aa]uthenticator)[^\n\uFFFC]{0,40}?(?:[Ss]ecret|SECRET|[Ss]eed|SEED|[Kk]ey|KEY)["'`]?(?:[^\n:=\uFFFC]{0,40}?(?:[:=→]|->|\bis|\bwas))?["'`\s]{0,3})(?<![A-Za-z0-9])(?<value>[A-Z2-7]{4}(?:[ -]?[A-Z2-7]{4}){3,15}[A-Z2-7]{0,3}|[a-z2-7]{4}(?:[ -][a-z2-7]{4}){3,15})(?![A-Za-z0-9])/dg
/** `code: "…"` and `pin: …` as settings have them; what they open is named above. */
const setCode =
  /(?<=^[ \t-]{0,20}["']?(?:\w{1,20}[_-])?(?:code|pin|usercode|passcode)["']?[ \t]{0,2}[:=][ \t]{0,3}["']?)(?<value>\d{4,8})(?=["']?,?[ \t]{0,3}(?:#[^\n]{0,80})?\r?$)/dgm
const opened =
  /alarm|lock|door|gate|garage|keypad|safe|vault|sim\b|unlock|card|voicemail|disarm|yubikey|device/i
const network = /WIFI:(?:[A-Z]:[^;\n\uFFFC]{0,80};){0,4}P:(?<value>[^;\n\uFFFC]{4,80})/dg

/** Finds codes that somebody says what they open: doors, cards, mail programs, licences, networks, second factors. */
export function findCodes(text: string, may: ReadonlySet<string>): Finding[] {
  const found = topics.flatMap((topic) => (may.has(topic.group) ? codesOf(text, topic) : []))
  const take = (kind: string, pattern: RegExp, isOne: (value: string) => boolean) =>
    found.push(...findValues(text, pattern, kind, isOne))
  if (may.has("codes")) {
    take("pin", before, isOpening)
    if (opened.test(text)) take("pin", setCode, isOpening)
  }
  if (may.has("mail")) take("password", fours, (value) => chanceBits(value) > 8)
  if (may.has("seeds")) take("secret", authenticatorSeed, (value) => !isPlaceholder(value) && !isProse(value))
  if (may.has("networks")) take("password", network, (value) => !isPlaceholder(value))
  return found
}

/** Codes in the sentence behind the words, and all further ones of a list that begins there. */
function codesOf(text: string, topic: Topic): Finding[] {
  const found: Finding[] = []
  if (topic.hint?.test(text) === false) return found
  let covered = 0
  for (const { 0: words, index } of text.matchAll(topic.words)) {
    const behind = index + words.length
    if (topic.isSpoken?.(text, index, behind) === false) continue
    const listed = codesBehind(text, Math.max(covered, behind), topic)
    found.push(...listed)
    covered = listed.at(-1)?.end ?? covered
  }
  return found
}

/** The codes of one list, or the only one, within the topic's reach from here. */
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
    // Behind a code only another one goes on, or a word that joins two.
    else if (found.length > 0 && !joins.test(text.slice(start, at))) return found
  }
}

const betweenCodes = 16
const joins = /^(?:\d{1,2}[.):]?|and|or|und|then|now|to|[*•#|/&+-]+)$/i
const wordSign = /[\p{L}\d*#]/u

/** Where the next word begins before the end of the sentence. */
function nextWord(text: string, from: number, until: number): number | undefined {
  for (let at = from; at < until && at < text.length; at += 1) {
    const sign = text.charAt(at)
    if (sign === hole) return undefined
    if ((sign === "." || sign === "?" || sign === "!") && /\s|$/.test(text.charAt(at + 1))) return undefined
    // What costs something is no code.
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

function codeAt(text: string, start: number, { code, isOne }: Topic): number | undefined {
  code.lastIndex = start
  const value = code.exec(text)?.[0].replace(/[.?!]+$/, "")
  return value !== undefined && isOne(value) ? start + value.length : undefined
}

function isOpening(value: string): boolean {
  const digits = value.replaceAll(/\D/g, "")
  if (digits.length < 3 || digits.length > 12 || /-$|--/.test(value)) return false
  return !/^(?:(?:19|20)\d\d(?:-\d\d){0,2}|[45]\d\d|200|201|204|30[1278])$/.test(value)
}

function isRecoveryCode(value: string): boolean {
  if (isPlaceholder(value) || /^(?:19|20)\d\d$/.test(value)) return false
  const compact = value.replaceAll(/[-– ]/g, "")
  if (compact.length < 6) return false
  if (/\d/.test(compact)) return !isMeasure.test(value)
  return compact !== value && chanceBits(value) > 4
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
  return value.includes(" ") && chanceBits(value) < 4
}

function isProductKey(value: string): boolean {
  const isMixed = /[A-Z]/.test(value) && /\d/.test(value)
  const isDated = /\d{4}-\d\d-\d\d|^(?:CVE|RFC|ISO|PR|ISSUE|JIRA|[A-Z]{2,6})-\d+(?:-\d+)?$/.test(value)
  return isMixed && !isDated && chanceBits(value) > 4 && !isPlaceholder(value)
}
