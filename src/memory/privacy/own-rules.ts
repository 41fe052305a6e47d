import { findAnnounced } from "./announced.ts"
import { findPiped, pipedHints } from "./commands/piped.ts"
import { findTyped, typedHints } from "./commands/typed.ts"
import { codeHints, findCodes } from "./codes.ts"
import { findInForms, findPrinted, formHints, printedHint } from "./credential-files.ts"
import { findCredentials } from "./credentials.ts"
import { findEncoded, findInManifests, manifestHint } from "./encoded.ts"
import { findLogins, loginHints } from "./evident.ts"
import type { Finding } from "./finding.ts"
import { findHexKeys, hexHint } from "./hex-keys.ts"
import { findPrivateKeys } from "./private-keys.ts"
import { findRecoveryWords } from "./recovery-words.ts"
import { findSettings, settingHints } from "./settings.ts"
import { mayTell } from "./telling-words.ts"
import { findTokens, findWrappedTokens } from "./tokens.ts"

/** A word without which no login data is in a text. Given in lower case. */
const credentialHints =
  /:\/\/|%3a%2f|value|identified|requirepass|masterauth|bearer|basic|authorization|cookie|sess|sid=|-u|--user| -p|[?&][\w-]{2,20}=|\bas\b|sign.?in|machine|phrase|mnemonic|\bpin\b|aws|<\/|access.?key|login|log in|creds|credentials|anmeldung|(?:recovery|backup).?code|redis-cli/

/** Finds secrets by our own rules, cheapest question first: most texts hold nothing that could be one. */
export function findSecrets(text: string): Finding[] {
  const lower = text.toLowerCase()
  const hasKey = text.includes("PRIVATE KEY") || text.includes("Private-Lines")
  return [
    ...findTokens(text),
    ...(hasKey ? findPrivateKeys(text) : []),
    ...(credentialHints.test(lower) ? findCredentials(text) : []),
    ...(typedHints.test(lower) ? findTyped(text) : []),
    ...(pipedHints.test(lower) ? findPiped(text, lower) : []),
    ...(settingHints.test(text) ? findSettings(text) : []),
    ...(formHints.test(text) ? findInForms(text) : []),
    ...(printedHint.test(text) ? findPrinted(text) : []),
    ...findEncoded(text),
    ...(manifestHint.test(text) ? findInManifests(text) : []),
    ...(hexHint.test(text) ? findHexKeys(text) : []),
    ...findRecoveryWords(text),
    ...(codeHints.test(lower) ? findCodes(text) : []),
    ...(loginHints.test(lower) ? findLogins(text) : []),
    ...(mayTell(lower) ? findAnnounced(text) : []),
  ]
}

/** Finds what only shows after the first look: tokens broken over lines, once whole ones are cut out. */
export function findBrokenSecrets(text: string): Finding[] {
  return /[\n"'`]/.test(text) ? findWrappedTokens(text) : []
}
