import { chanceBits } from "./chance-bits.ts"
import type { Finding } from "./finding.ts"
import { isPlaceholder } from "./harmless.ts"

/** One of these is in the lower-case text whenever a code that opens something is. */
export const codeHints =
  /cod(?:e|igo)|combin|combo|kombi|\bpin\b|\bpuk\b|app.?(?:specific.?)?pass|licen[sc]e|serial|activation|product.?key|\botp\b|2fa|totp|mfa|tan\b/

const places =
  "door|gate|alarm|access|entry|entrance|keypad|key pad|safe|locker|lock|lockbox|key ?box|garage|unlock|security|voicemail|vault|building|elevator|lift|disarm|arming|master|override|parking|intercom|office|server ?room|rack|cage|bike|suitcase|gun|gym|apartment|house|front|back|lobby|mailbox|sim|screen|phone|card|debit|credit|atm|tür|haustür|tor|alarmanlage|schloss|tresor|garagen|porte|portail|puerta|porta"
const link =
  String.raw`(?:[ \t]{0,2}(?:[:=→#]|->|is|was|are|ist|lautet|est|es|è|é|to|now)){0,3}["'\x60 \t(*]{1,4}`
const number = String.raw`(?<value>[*#]?\d(?:[ \t]?[\d-]){2,11}[*#]?)(?![\d.,:]?\d|[\w%])`

/** Codes of doors, alarms, safes and cards: the thing, the word, and a number behind it. */
const ofPlace = new RegExp(
  String.raw`(?<![\p{L}])(?:${places})[ \t-]{0,2}(?:\p{L}{1,12}[ \t]){0,2}?(?:codes?|pin|combination|combo|kombination|nummer)(?![\p{L}])(?:[ \t](?:for|of|to|at|on|in|für|von|vom|zum|zur|der|du|de|del)(?:[ \t]\p{L}[\p{L}\d'-]{0,20}){1,5}?)?${link}${number}`,
  "dgiu",
)
/** The same said the other way round: "the code for the front door is …", "combination of the safe: …". */
const forPlace = new RegExp(
  String.raw`(?<![\p{L}])(?:codes?|combination|combo|kombination|pin)[ \t](?:for|of|to|at|on|für|von|vom|zum|zur|der|du|de|del)(?:[ \t]\p{L}[\p{L}\d'-]{0,20}){0,4}?[ \t-](?:${places})s?(?:[ \t]\p{L}[\p{L}\d'-]{0,20}){0,3}?${link}${number}`,
  "dgiu",
)
/** Numbers that are sent or shown for one login, and those of cards and telephones. */
const oneTime =
  /(?<![\p{L}])(?:(?:verification|confirmation|one[- ]?time|2fa|mfa|sms|otp|authenticator|backup|recovery|login|sign-?in|puk)[ \t-]{0,2}(?:pass)?codes?|otp|puk|tan|pin)(?:[ \t](?:code|number))?(?:[ \t]{0,2}(?:[:=→]|->|is|was|ist|lautet|est|es|now)){1,2}["'`\s(]{1,4}(?<value>\d{4,10})(?![\d.,]?\d|[\w%])/dgiu
/** "4711 opens the garage", "… is the code of the door". */
const before = new RegExp(
  String.raw`(?<![\w.,:-])(?<value>\d{4,8})[ \t](?:opens|unlocks|disarms|is the (?:\p{L}{1,14}[ \t]){0,3}(?:code|pin|combination))(?![\p{L}])`,
  "dgiu",
)

const appPassword =
  /app(?:lication)?[- ]?(?:specific[- ]?)?pass(?:word|wd|wort|phrase)?s?(?:[^\n\uFFFC]{0,40}?)["'`\s:=(](?<value>[a-z]{4}(?:[ -][a-z]{4}){3})(?![\p{L}\d-]| ?[a-z]{4}[ -])/dgiu
/** Sixteen letters in fours, whatever announces them: a mail provider's form. */
const groups = /(?<![\p{L}\d-])(?<value>[a-z]{4}(?:[ -][a-z]{4}){3})(?![\p{L}\d-]|[ -][a-z])/dgu

const productKey =
  /(?:licen[sc]e|serial|activation|product[- ]?key|volume[- ]?key|\bkey\b|lizenz)[^\n\uFFFC]{0,60}?(?<![\w-])(?<value>(?:[A-Z0-9]{4,8}-){2,7}[A-Z0-9]{4,8})(?![\w-])/dgi

const authenticatorSeed =
  /(?:otpauth:\/\/[^\s"'`\uFFFC]{0,200}?secret=|(?:totp|otp|2fa|mfa|authenticator)[^\n\uFFFC]{0,40}?(?:secret|seed|key)["'`]?(?:[ \t]{0,2}(?:[:=→]|->|is|was))?["'`\s]{1,3})(?<value>[A-Za-z2-7]{4}(?:[ -]?[A-Za-z2-7]{4}){3,12}[A-Za-z2-7]{0,3})(?![A-Za-z0-9])/dgi

/** Finds short codes that somebody says what they open: doors, cards, mail programs, licences, second factors. */
export function findCodes(text: string): Finding[] {
  const found: Finding[] = []
  const take = (kind: string, pattern: RegExp, isOne: (value: string) => boolean) => {
    for (const { groups: parts, indices } of text.matchAll(pattern)) {
      const [start, end] = indices?.groups?.value ?? []
      const value = parts?.value ?? ""
      if (start !== undefined && end !== undefined && isOne(value)) found.push({ kind, start, end })
    }
  }
  for (const pattern of [ofPlace, forPlace, oneTime, before]) take("pin", pattern, isCode)
  take("password", appPassword, isNoWords)
  take("password", groups, isNoProse)
  take("licence-key", productKey, isProductKey)
  take("secret", authenticatorSeed, (value) => !isPlaceholder(value) && !isProse(value))
  return found
}

function isCode(value: string): boolean {
  const digits = value.replaceAll(/\D/g, "")
  return digits.length >= 3 && digits.length <= 12 && !/^(?:19|20)\d\d(?:-\d\d){0,2}$/.test(value.trim())
}

/** Behind the word itself it is enough that they are not all words. */
function isNoWords(value: string): boolean {
  return chanceBits(value) > -4
}

/** Without any word they must be far from prose. */
function isNoProse(value: string): boolean {
  return chanceBits(value) > 12
}

function isProse(value: string): boolean {
  return value.includes(" ") && chanceBits(value) < 4
}

function isProductKey(value: string): boolean {
  const isMixed = /[A-Z]/.test(value) && /\d/.test(value)
  return isMixed && value === value.toUpperCase() && chanceBits(value) > 4 && !isPlaceholder(value)
}
