import { type Detector, type Finding, findValues } from "../finding.ts"
import { isGeneratedValue } from "../values/generated-value.ts"
import { isOrdinary, isPlaceholder, looksRandom } from "../values/placeholders.ts"
import { isRandomText } from "../values/randomness.ts"

/** Finds credentials in headers, URLs, cookies and options of commands. */
export function findCredentials(text: string): Finding[] {
  return detectors.flatMap((detect) => detect(text))
}

/** A detector for the `value` of a pattern; by default every value except placeholders. */
function values(kind: string, hint: RegExp, pattern: RegExp, isSecret = isNoPlaceholder): Detector {
  return (text) => (hint.test(text) ? findValues(text, pattern, kind, isSecret) : [])
}

function isNoPlaceholder(value: string): boolean {
  return !isPlaceholder(value)
}

function isEncodedLogin(value: string): boolean {
  const login = Buffer.from(value, "base64").toString("latin1")
  return (
    /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(login) && !/:(?:password|pass|secret|example|x+|\*+)$/i.test(login)
  )
}

/** Default passwords of local databases, as in tutorials. */
const localDefaults =
  /^(?:postgres|root|admin|guest|mysql|redis|dev|development|local|user|app|minio|minioadmin|sa)$/i
const localHost =
  /^(?:localhost|127\.|\[?::1|0\.0\.0\.0|host\.docker\.internal|[a-z][a-z0-9_-]*(?:[:/?]|$))|\.example\b|example\./i

/** The password of `scheme://user:password@host`, or a token instead of both. */
function findUrlCredentials(text: string): Finding[] {
  const found: Finding[] = []
  const userInfo =
    /(?<user>[^\s:@/"'`<>\uFFFC]{0,200})(?::(?<password>[^\s@"'`<>\uFFFC]{3,300}))?@(?<host>[^\s"'`@]{0,100})/dy
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    userInfo.lastIndex = at + 3
    const match = userInfo.exec(text)
    const { user = "", password, host = "" } = match?.groups ?? {}
    const span = match?.indices?.groups?.[password === undefined ? "user" : "password"]
    if (span === undefined) continue
    const isSecret = password === undefined ? isTokenAlone(user) : isUrlPassword(password, host)
    if (isSecret) found.push({ kind: "url-password", start: span[0], end: span[1] })
  }
  return found
}

function isTokenAlone(user: string): boolean {
  return user.length >= 16 && looksRandom(user) && !isPlaceholder(user)
}

function isUrlPassword(password: string, host: string): boolean {
  // After a slash, the @ is part of the path: http://host:80/@scope/name.
  if (/^\d{1,5}\//.test(password) || isPlaceholder(password)) return false
  return !(localHost.test(host) && localDefaults.test(password))
}

const detectors: readonly Detector[] = [
  values(
    "bearer-token",
    /bearer/i,
    /\bbearer[ \t:=]{1,3}["'`]?(?<value>[A-Za-z0-9._~+/=-]{12,4000})/dgi,
    (value) => !isPlaceholder(value) && (looksRandom(value) || (value.length >= 16 && /\d/.test(value))),
  ),
  values("basic-auth", /basic/i, /\bbasic[ \t]{1,3}(?<value>[A-Za-z0-9+/]{8,2000}={0,2})/dgi, isEncodedLogin),
  values(
    "authorization",
    /authorization/i,
    /\bauthorization["'`]?[ \t]{0,3}[:=][ \t]{0,3}["'`]?(?:(?:token|apikey|api-key|digest|negotiate|signature|key|bot)[ \t=]{1,3})?(?<value>[A-Za-z0-9._~+/=:-]{12,4000})/dgi,
    (value) => !isPlaceholder(value) && looksRandom(value),
  ),
  values(
    "cookie",
    /cookie/i,
    /\bcookies?["'`]?[ \t]{0,3}[:=][ \t]{0,3}["'`]?[A-Za-z0-9_.%-]{1,60}=(?<value>[^\s;"'`\uFFFC]{12,4000})/dgi,
    (value) => !isPlaceholder(value) && looksRandom(value),
  ),
  values(
    "cookie",
    /sess|sid/i,
    /\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|[\w-]{0,30}session(?:_?id)?|sid)(?:=|[ \t]?(?::|is)[ \t])["'`]?(?<value>[^\s;&"'`\uFFFC]{16,4000})/dgi,
    (value) => !isPlaceholder(value) && !isOrdinary(value) && isRandomText(value, 16),
  ),
  values(
    "password",
    /curl|wget|http|-u|--user/i,
    /(?:^|\s)(?:-u[ =]{0,2}|--user[ =]{1,2}|--proxy-user[ =]{1,2})["']?[^\s:"'\uFFFC-][^\s:"'\uFFFC]{0,100}:(?<value>[^\s"'\uFFFC]{2,200})/dg,
    // A number is a group: docker run -u 1000:1000.
    (value) => !isPlaceholder(value) && !/^\d{1,5}$/.test(value),
  ),
  values(
    "signature",
    /[?&]/,
    /[?&](?:X-Amz-(?:Signature|Security-Token|Credential)|X-Goog-Signature|Signature|sig|hmac|hash|code|ticket|otp|magic|invite|access_key|auth)=(?<value>[A-Za-z0-9%+/=_.~-]{16,4000})/dgi,
    (value) => !isPlaceholder(value) && (isRandomText(value, 16) || /^[0-9a-f]{32,}$/i.test(value)),
  ),
  values(
    "signature",
    /\/(?:reset|verif|confirm|activat|invit|magic|recover|unlock|login|set-)/i,
    /\/(?:(?:password|email|account)[-_/])?(?:reset|verif(?:y|ication)|confirm(?:ation)?|activat(?:e|ion)|invit(?:e|es|ation|ations)|magic|recover|unlock|login|set-password)(?:[-_](?:password|email|account|link|login|token))?\/(?<value>[A-Za-z0-9_-]{20,500})(?![A-Za-z0-9_.-])/dgi,
    (value) => !isPlaceholder(value) && (isRandomText(value, 20) || /^[0-9a-f]{32,}$/i.test(value)),
  ),
  values(
    "url-key",
    /:\/\//,
    /\w:\/\/[\w.-]{1,100}(?::\d{1,5})?\/(?:[\w.~-]{1,40}\/){0,4}?(?:v\d{1,2}|rpc|ws|hooks?|webhooks?|ping|tokens?|keys?|shares?|s|shared|sub|subscribe|subscription|private|feeds?|rss|ical|calendar|bot|push|ingest|notify|auth|session|link|dl|catch)\/(?:private-)?(?<value>[A-Za-z0-9_=-]{20,200})(?![A-Za-z0-9_.-]|\/[\w])/dgi,
    (value) => isGeneratedValue(value, 20) || /^(?=[0-9a-f]*[a-f])[0-9a-f]{32}$/.test(value),
  ),
  values(
    "netrc-password",
    /\bmachine\b/,
    /\bmachine\s+\S{1,100}\s+login\s+\S{1,100}\s+password\s+(?<value>\S{3,200})/dg,
  ),
  values(
    "password",
    /</,
    /<(?:[\w.-]{0,40}?)(?:password|passwd|pwd|secret|token|apikey|api-key)(?:[\w.-]{0,20})>\s{0,5}(?<value>[^<>\s\uFFFC]{4,500})\s{0,5}<\//dgi,
  ),
  values(
    "seed-phrase",
    /phrase|mnemonic|seed/i,
    /\b(?:(?:seed|recovery|backup|mnemonic)[ _-]?(?:phrase|words)|mnemonic)["'`]?\s{0,3}(?:is|are|was|:|=)\s{0,3}["'`]?(?<value>(?:[a-z]{3,8}[ \t]{1,2}){11,23}[a-z]{3,8})/dg,
  ),
  values(
    "recovery-code",
    /(?:recovery|backup).?code/i,
    /\b(?:recovery|backup)[ _-]?codes?(?: (?:is|are))?[:=]?\s{1,3}["'`]?(?<value>[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{4,12}){0,3}(?:[\s,;]{1,3}(?=[A-Za-z-]{0,20}\d)[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{4,12}){0,3}){0,20})/dgi,
    (value) => /\d/.test(value) && !isPlaceholder(value),
  ),
  values(
    "password",
    /log ?in|credentials|creds|anmeldung/i,
    /\b(?:login|log in|credentials|creds|anmeldung)\b[^\n\uFFFC]{0,40}?[\w.@-]{2,40} \/ ["'`]?(?<value>[^\s"'`\uFFFC]{6,100})/dgi,
    (value) => !isPlaceholder(value) && !value.includes("/") && /\d/.test(value) && /[A-Za-z]/.test(value),
  ),
  values(
    "pin",
    /\bPIN\b|\bpin code/,
    /(?:\bPIN\b(?: code)?|\bpin code)(?:[^\n\d\uFFFC]{0,30}?(?:is|ist|lautet|:|=))?\s{0,2}(?<value>\d{4,8})(?![\d.,-]\d|\w)/dg,
  ),
  values(
    "pin",
    /\bpin\b/i,
    /\bpin (?:for|of|to|für|vom|zum|zur|der|du|de|del|van)\b[^\n\d\uFFFC]{1,40}?(?:is|ist|lautet|est|es|:|=)\s{1,2}(?<value>\d{4,8})(?![\d.,-]\d|\w)/dgi,
  ),
  values(
    "password",
    /value/i,
    /\b(?:name|key)["']?\s{0,3}[:=]\s{0,3}["']?[\w.-]{0,40}(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key)["']?[,\s]{1,40}["']?value["']?\s{0,3}[:=]\s{0,3}["']?(?<value>[^\s"',}\uFFFC]{4,500})/dgi,
    (value) => !isPlaceholder(value) && !isOrdinary(value),
  ),
  values(
    "password",
    /identified/i,
    /(?:\b(?:user|role|grant|to)\b[^\n\uFFFC]{1,120} )identified (?:with \S{1,40} )?(?:by|as) (?:password )?["'](?<value>[^"'\n\uFFFC]{3,200})["']/dgi,
  ),
  values(
    "password",
    /requirepass|masterauth/,
    /\b(?:requirepass|masterauth)[ \t]{1,3}["']?(?<value>[^\s"'\uFFFC]{4,200})/dg,
    (value) => !isPlaceholder(value) && /[\d!@#$%^&*]|[a-z][A-Z]/.test(value),
  ),
  values("url-password", /%3a%2f%2f/i, /%3a%2f%2f[^\s%:"']{0,100}%3a(?<value>[^\s"'&\uFFFC]{3,300}?)%40/dgi),
  values(
    "aws-secret-key",
    /aws|secret.?access/i,
    /(?:aws|secret)[\w .-]{0,30}?["'`]?\s{0,3}(?:is|:|=|=>)\s{0,3}["'`]?(?<value>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/dgi,
    (value) => looksRandom(value) && !/^[0-9a-f]+$/i.test(value) && !isPlaceholder(value),
  ),
  findUrlCredentials,
]

const loginSentences: readonly Detector[] = [
  values(
    "password",
    /\bas\b/,
    /\b(?:use|with|set|using|nimm|nutze)[ \t]{1,2}["'`]?(?<value>[^\s"'`\uFFFC]{5,60})["'`]?[ \t]{1,2}(?:as|for|als)[ \t]{1,2}(?:\p{L}{1,14}[ \t]{1,2}){0,3}(?:password|passwd|passwort|kennwort|pw|passphrase)(?!\p{L})/dgiu,
    (value) =>
      !isPlaceholder(value) &&
      !isOrdinary(value) &&
      /\p{L}/u.test(value) &&
      /\d/.test(value) &&
      !/[/(]/.test(value),
  ),
  values(
    "password",
    /log.?in|sign.?in|creds|credentials/i,
    /\b(?:(?:log|sign)(?:ged)?[ -]?in|login|creds?|credentials)\b(?:[ \t](?:is|are|as|with|to|for|at|on))?[: \t]{1,3}(?:[\w.-]{1,30}[ \t]){0,3}?[\w.@-]{2,40}(?::(?=\S)|[ \t](?:with|using)[ \t])["'`]?(?<value>[^\s"'`\uFFFC/]{6,100})/dgi,
    (value) =>
      !isPlaceholder(value) &&
      !isOrdinary(value) &&
      /[A-Za-z]/.test(value) &&
      /\d/.test(value) &&
      /[!#$%^*?~&+]|[a-z]\d+[a-z]|[a-z]\d{2,}$/i.test(value.slice(1)) &&
      !/[()=]|\.\w{2,4}$/.test(value),
  ),
  values(
    "password",
    /\//,
    /(?<![\w/.-])(?<name>admin|root|user|guest|test)\/(?<value>\k<name>\d{1,6})(?![\w/.-])/dgi,
  ),
]

/** Finds passwords in instructions to log in: "use … as the password", "sign in as … with …". */
export function findLoginSentences(text: string): Finding[] {
  return loginSentences.flatMap((detect) => detect(text))
}
