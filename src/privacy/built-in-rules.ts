import { findBareLogins } from "./detectors/bare-logins.ts"
import { findInCalls } from "./detectors/calls.ts"
import { findCodes } from "./detectors/codes.ts"
import { findPiped } from "./detectors/commands/piped.ts"
import { findTyped } from "./detectors/commands/typed.ts"
import { findInForms, findPrinted, printedHint } from "./detectors/credential-files.ts"
import { findCredentials, findSaidLogins } from "./detectors/credentials.ts"
import { findInDeviceConfigs } from "./detectors/device-configs.ts"
import { findEncoded, findInManifests, manifestHint } from "./detectors/encoded.ts"
import { findByteArrays } from "./detectors/keys/byte-arrays.ts"
import { findDerived, findHexKeys, mayBeHexKey } from "./detectors/keys/hex-keys.ts"
import { findPrivateKeys } from "./detectors/keys/private-keys.ts"
import { findRecoveryWords } from "./detectors/keys/recovery-words.ts"
import { findTokensIn, findWrappedTokens } from "./detectors/keys/tokens.ts"
import { findAnnounced } from "./detectors/labelled-secrets.ts"
import { findLoneValues } from "./detectors/lone-values.ts"
import { findLogins } from "./detectors/nearby-secrets.ts"
import { findNamed, findSettings } from "./detectors/settings.ts"
import type { Detector, Finding } from "./finding.ts"
import { createFirstLook } from "./quick-scan.ts"
import { mayHoldMadeValue } from "./values/generated-value.ts"
import { longRuns } from "./values/long-runs.ts"
import { mayTell, tellingHints } from "./values/secret-words.ts"

const letters = Array.from("abcdefghijklmnopqrstuvwxyz")
const listOf = (hints: string) => hints.split("|")
/** Words that are part of the names of branches and files, and what follows them there. */
const namedWords = listOf(
  "pass|password|passwd|passphrase|pwd|pw|secret|token|key|apikey|sk|cred|creds|credential|credentials",
)

/** Texts of which one is there if the rules of that name can find anything. An underscore stands for any other sign. */
const look = createFirstLook(
  {
    tells: tellingHints,
    foreign: [],
    credentials: listOf(
      "://|/reset|/verif|/confirm|/activat|/invit|/magic|/recover|/unlock|/login|/set-|%3a%2f|value|identified|requirepass|masterauth|bearer|basic |authorization|cookie|session|sessid|sid=| -u|--user|--proxy-user|sig=|signature=|token=|credential=|hmac=|hash=|code=|ticket=|otp=|magic=|invite=|key=|auth=|machine|phrase|mnemonic| words| pin|(pin|aws|</|secret access|secretaccess|login|log in|creds|credentials|anmeldung|recovery code|recovery-code|recovery_code|backup code|backup-code|backup_code",
    ),
    typed: [
      ...letters.flatMap((letter) => [` -${letter}`, `_-${letter}`]),
      ...listOf(
        " --|auth|config|login|passw|unlock|sqlplus|alias|add_user|authorize|obscure|wpa_|freerdp|cmdkey|schtasks|signtool",
      ),
    ],
    piped: listOf("echo |printf |sudo|htpasswd|net use"),
    settings: [
      ...letters.flatMap((letter) => [`${letter}: `, `${letter}_: `]),
      ...listOf("=|env |arg |setx|setenv|set -"),
    ],
    forms: [
      ...listOf(":12:|:123:|:1234:|:12345:|:_:|machine|default|jdbc:oracle|auth "),
      ...namedWords.flatMap((word) => [`${word}-`, `${word}_`, `${word}=`]),
    ],
    manifests: ["kind: secret", "kind_: _secret", "kind_:_secret", "kind:_secret"],
    codes: listOf(
      "code|codigo|c_digo|codice|codici|combination|combo|kombination|keypad|lockbox|key box|keybox|unlock|opens|disarm|enter| pin|_pin|pin |puk|otp| tan",
    ),
    recovery: listOf(
      "recuper|r_cup_r|respaldo|secours|wiederherstell|herstelcode|recovery|backup|scratch|emergency|one-time|one time|2fa|mfa|reserve|rescue",
    ),
    licences: listOf(
      "license|licence|lizenz|serial|activat|product key|product-key|volume|server key|office key|windows key",
    ),
    networks: listOf("wifi|wi-fi|wlan|ssid|wireless|hotspot|guest network|wpa"),
    mail: listOf(
      "app pass|app-pass|app pw|specific pass|specific-pass|application pass|smtp|pass |passw|pass:|pass_|mail",
    ),
    seeds: listOf("otp|2fa|mfa|authenticator"),
    printed: listOf(
      "secret|passw|token|base64 -|credential|api key|api-key|apikey|pwgen|openssl rand|genkey|gen-key|keygen|genpsk|diceware|urandom|vault|get-login|private key|private-key|id_rsa|id_ecdsa|id_ed12|ssh key|ssh-key",
    ),
    logins: listOf(
      "login|log in|log-in|sign in|signin|sign-in|signed in|logged in|cred|pass|anmeldung|zugangsdaten|identifiants|inloggegevens|kennwort|contrase|senha|wachtwoord| as pw",
    ),
    keys: ["PRIVATE KEY", "Private-Lines"],
    calls: [
      ...listOf(
        "secure|passw|pwd|phrase|secret|cred|auth|login|logon|log_on|signin|sign_in|token|hmac|crypt|cipher|fernet",
      ),
      ...listOf("apikey|api_key|priv|keypair|client|connect|session|wallet|signer|account|setkey|set_key"),
    ],
    bytes: listOf(
      "key|secret|seed|solana|wallet|private|id.json|entropy|mnemonic|cipher|aes|passw|psk|pan_|cred|crypt|signer|token|salt|pepper|hmac",
    ),
    users: listOf(
      "admin|root|ubnt|pi, |pi/|postgres|sa, |ubuntu|debian|operator|guest|owner|user|deploy|service|backup|svc|@",
    ),
    devices: listOf("auth|priv|enc|passw|secret|key|community|psk|ike|phrase|ascii|hex"),
  },
  "foreign",
)

/** Rules and what the first look must have seen for them. */
const rules = [
  ["printed", (text) => (printedHint.test(text) ? findPrinted(text) : [])],
  ["keys", findPrivateKeys],
  ["credentials", findCredentials],
  ["typed", findTyped],
  ["piped", (text) => findPiped(text, text.toLowerCase())],
  ["settings", findSettings],
  ["forms", findInForms],
  ["manifests", (text) => (manifestHint.test(text) ? findInManifests(text) : [])],
  ["logins", findLogins],
  ["logins", findSaidLogins],
  ["tells", findAnnounced],
] as const satisfies readonly (readonly [string, (text: string) => Finding[]])[]

/** Rules that ask what a value is made of rather than what announces it; asked once the others find nothing more. */
const lateRules = [
  ["bytes", findByteArrays],
  ["devices", findInDeviceConfigs],
] as const satisfies readonly (readonly [string, Rule])[]
const madeRules = [
  ["settings", findNamed],
  ["calls", findInCalls],
  ["users", findBareLogins],
] as const satisfies readonly (readonly [string, Rule])[]

/**
 * Starts a search for secrets by our own rules, cheapest question first: most texts hold nothing that could be one.
 * Each further look is at the same text with what was found cut out: only rules that found something are asked again.
 */
export function searchSecrets(): Detector {
  let asked: readonly Rule[] | undefined
  let may: ReturnType<typeof look> = new Set()
  return (text) => {
    const isFirst = asked === undefined
    if (isFirst) may = look(text)
    const found: Finding[] = []
    asked = (asked ?? [findRecoveryWords, findInRuns, ...rulesFor(text, may)]).filter((find) => {
      const some = find(text)
      for (const finding of some) found.push(finding)
      return some.length > 0
    })
    if (found.length > 0) return found
    // What a removed secret gives shows only once it is removed.
    return isFirst ? findMade(text, may) : [...findDerived(text), ...findMade(text, may)]
  }
}

type Rule = (text: string) => Finding[]

/** What shows by how it is made. */
function findMade(text: string, may: ReturnType<typeof look>): Finding[] {
  const found = lateRules.flatMap(([hint, find]) => (may.has(hint) ? find(text) : []))
  if (!mayHoldMadeValue(text)) return found
  const made = madeRules.flatMap(([hint, find]) => (may.has(hint) ? find(text) : []))
  return [...found, ...made, ...findLoneValues(text)]
}

/** The rules that could find anything in this text. */
function rulesFor(text: string, may: ReturnType<typeof look>): readonly Rule[] {
  if (may.size === 0) return []
  const chosen: Rule[] = []
  for (const [hint, find] of rules) if (may.has(hint)) chosen.push(find)
  // Telling words of other alphabets show only to a second look.
  const isForeign = may.has("foreign") && !may.has("tells") && mayTell(text.toLowerCase())
  if (isForeign) chosen.push(findAnnounced)
  chosen.push((part) => findCodes(part, may))
  return chosen
}

/** What shows in long runs of letters and digits, whatever is said about them. */
function findInRuns(text: string): Finding[] {
  const runs = longRuns(text)
  if (runs.length === 0) return []
  const keys = mayBeHexKey(runs) ? findHexKeys(text) : []
  return [...findTokensIn(text, runs), ...findEncoded(text, runs), ...keys]
}

/** Finds what only shows after the first look: tokens broken over lines, once whole ones are cut out. */
export function findBrokenSecrets(text: string): Finding[] {
  return /[\n"'`]/.test(text) ? findWrappedTokens(text) : []
}
