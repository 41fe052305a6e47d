import { findAnnounced } from "./announced.ts"
import { findCodes } from "./codes.ts"
import { findPiped } from "./commands/piped.ts"
import { findTyped, typedHints } from "./commands/typed.ts"
import { findInForms, findPrinted, formHints, printedHint } from "./credential-files.ts"
import { credentialHints, findCredentials } from "./credentials.ts"
import { findEncoded, findInManifests, manifestHint } from "./encoded.ts"
import { findLogins } from "./evident.ts"
import type { Finding } from "./finding.ts"
import { createFirstLook } from "./first-look.ts"
import { findHexKeys, mayBeHexKey } from "./hex-keys.ts"
import { longRuns } from "./long-runs.ts"
import { findPrivateKeys } from "./private-keys.ts"
import { findRecoveryWords } from "./recovery-words.ts"
import { findSettings, settingHints } from "./settings.ts"
import { mayTell, tellingHints } from "./telling-words.ts"
import { findTokensIn, findWrappedTokens } from "./tokens.ts"

const letters = Array.from("abcdefghijklmnopqrstuvwxyz")
const loginHints =
  "login|log in|log-in|sign in|signin|sign-in|cred|pass|anmeldung|zugangsdaten|identifiants|inloggegevens|kennwort|contrase|senha|wachtwoord"

/** Texts of which one is there if a rule of that name can find anything. */
const look = createFirstLook(
  {
    tells: tellingHints,
    credentials:
      "://|%3a%2f|value|identified|requirepass|masterauth|bearer|basic|authorization|cookie|sess|sid=| -u|--user|=|sign in|machine|phrase|mnemonic| pw|pin|aws|</|access|login|log in|pass|creds|credentials|anmeldung|recovery|backup".split(
        "|",
      ),
    typed: [
      ...letters.flatMap((letter) => [` -${letter}`, `\`-${letter}`]),
      ..." --|auth|config|login|passw|unlock|sqlplus|alias|add_user|authorize|obscure|wpa_|freerdp|cmdkey|schtasks|signtool".split("|"),
    ],
    piped: ["echo", "printf", "sudo", "htpasswd", "net use"],
    settings: [...letters.map((letter) => `${letter}: `), "=", "env ", "arg ", "setx", "setenv", "set -"],
    forms: [":12", ":*:", "machine", "default", "jdbc:oracle", "auth ", "pass", "pwd", "secret", "token", "key", "cred", " pw", "/pw", "-pw"],
    manifests: ["kind"],
    codes:
      "code|combin|combo|kombi|keypad|lockbox|unlock|opens|disarm|pin|puk|pass|smtp|license|licence|lizenz|serial|activat|product|recovery|scratch|otp|2fa|totp|mfa|tan|wifi|wi-fi|wlan|ssid|wireless|hotspot|server key".split(
        "|",
      ),
    logins: loginHints.split("|"),
    keys: ["PRIVATE KEY", "Private-Lines"],
  },
  ["tells"],
)

/** Finds secrets by our own rules, cheapest question first: most texts hold nothing that could be one. */
export function findSecrets(text: string): Finding[] {
  const may = look(text)
  const runs = longRuns(text)
  const found: Finding[][] = []
  if (runs.length > 0) {
    found.push(findTokensIn(text, runs), findEncoded(text, runs))
    if (mayBeHexKey(runs)) found.push(findHexKeys(text))
  }
  found.push(findRecoveryWords(text))
  if (may.size === 0) return found.flat()
  if (may.has("keys")) found.push(findPrivateKeys(text))
  if (may.has("credentials") && credentialHints.test(text)) found.push(findCredentials(text))
  if (may.has("typed") && typedHints.test(text)) found.push(findTyped(text))
  if (may.has("piped")) found.push(findPiped(text, text.toLowerCase()))
  if (may.has("settings") && settingHints.test(text)) found.push(findSettings(text))
  if (may.has("forms") && formHints.test(text)) found.push(findInForms(text))
  if (text.includes("\n") && printedHint.test(text)) found.push(findPrinted(text))
  if (may.has("manifests") && manifestHint.test(text)) found.push(findInManifests(text))
  if (may.has("codes")) found.push(findCodes(text))
  if (may.has("logins")) found.push(findLogins(text))
  if (may.has("tells") && mayTell(text.toLowerCase())) found.push(findAnnounced(text))
  return found.flat()
}

/** Finds what only shows after the first look: tokens broken over lines, once whole ones are cut out. */
export function findBrokenSecrets(text: string): Finding[] {
  return /[\n"'`]/.test(text) ? findWrappedTokens(text) : []
}
