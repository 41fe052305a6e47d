import hints from "../../assets/privacy/hints.json" with { type: "json" }
import { findBareLogins } from "./detectors/bare-logins.ts"
import { findInCalls } from "./detectors/calls.ts"
import { findCodes } from "./detectors/codes.ts"
import { findInCommandLines } from "./detectors/commands/command-lines.ts"
import { findPipedPasswords } from "./detectors/commands/piped.ts"
import { findInKnownFormats, findPrintedSecrets, printedHint } from "./detectors/credential-files.ts"
import { findCredentials, findLoginSentences } from "./detectors/credentials.ts"
import { findInDeviceConfigs } from "./detectors/device-configs.ts"
import { findEncodedLogins, findInManifests, manifestHint } from "./detectors/encoded.ts"
import { findByteArrays } from "./detectors/keys/byte-arrays.ts"
import { findDerivedKeys, findHexKeys, mayBeHexKey } from "./detectors/keys/hex-keys.ts"
import { findPrivateKeys } from "./detectors/keys/private-keys.ts"
import { findRecoveryWords } from "./detectors/keys/recovery-words.ts"
import { findTokensIn, findWrappedTokens } from "./detectors/keys/tokens.ts"
import { findLabelledSecrets } from "./detectors/labelled-secrets.ts"
import { findNearLogins } from "./detectors/nearby-secrets.ts"
import { findNamedValues, findVariableValues } from "./detectors/settings.ts"
import { findUnlabelledValues } from "./detectors/unlabelled-values.ts"
import type { Detector, Finding } from "./finding.ts"
import { createHintScan } from "./hint-scan.ts"
import { mayHoldGeneratedValue } from "./values/generated-value.ts"
import { longRuns } from "./values/long-runs.ts"
import { keywordHints, mayHoldKeyword } from "./values/secret-keywords.ts"

const letters = Array.from("abcdefghijklmnopqrstuvwxyz")
/** Words in names of branches and files that are followed by a secret. */
const namedWords =
  "pass|password|passwd|passphrase|pwd|pw|secret|token|key|apikey|sk|cred|creds|credential|credentials".split(
    "|",
  )

const listed = Object.fromEntries(
  Object.entries(hints).map(([group, list]) => [group, list.split("|")]),
) as Record<keyof typeof hints, string[]>

/**
 * For each group of rules, texts of which at least one is in every text where these rules can find anything. An
 * underscore stands for any sign without a class of its own.
 */
const scanHints = createHintScan(
  {
    ...listed,
    keywords: keywordHints,
    nonLatin: [],
    commandLines: [...letters.flatMap((letter) => [` -${letter}`, `_-${letter}`]), ...listed.commandLines],
    assignments: [...letters.flatMap((letter) => [`${letter}: `, `${letter}_: `]), ...listed.assignments],
    knownFormats: [
      ...listed.knownFormats,
      ...namedWords.flatMap((word) => [`${word}-`, `${word}_`, `${word}=`]),
    ],
  },
  "nonLatin",
)

type Rule = (text: string) => Finding[]
type HintGroups = ReturnType<typeof scanHints>

/** Rules with the group of hints that they need. */
const rules = [
  ["printed", (text) => (printedHint.test(text) ? findPrintedSecrets(text) : [])],
  ["keys", findPrivateKeys],
  ["credentials", findCredentials],
  ["commandLines", findInCommandLines],
  ["piped", (text) => findPipedPasswords(text, text.toLowerCase())],
  ["assignments", findVariableValues],
  ["knownFormats", findInKnownFormats],
  ["manifests", (text) => (manifestHint.test(text) ? findInManifests(text) : [])],
  ["logins", findNearLogins],
  ["logins", findLoginSentences],
  ["keywords", findLabelledSecrets],
] as const satisfies readonly (readonly [string, Rule])[]

/** Rules that recognise a value by itself, without a label. They run once the others find nothing more. */
const lateRules = [
  ["bytes", findByteArrays],
  ["devices", findInDeviceConfigs],
] as const satisfies readonly (readonly [string, Rule])[]
const generatedValueRules = [
  ["assignments", findNamedValues],
  ["calls", findInCalls],
  ["users", findBareLogins],
] as const satisfies readonly (readonly [string, Rule])[]

/**
 * Creates a detector that applies our own rules to one text, the cheapest first. Call it again with the findings
 * blanked out until it returns nothing: later calls only apply rules that found something the time before.
 */
export function createSecretDetector(): Detector {
  let active: readonly Rule[] | undefined
  let groups: HintGroups = new Set()
  return (text) => {
    const isFirst = active === undefined
    if (isFirst) groups = scanHints(text)
    const found: Finding[] = []
    active = (active ?? [findRecoveryWords, findInRuns, ...rulesFor(text, groups)]).filter((find) => {
      const some = find(text)
      for (const finding of some) found.push(finding)
      return some.length > 0
    })
    if (found.length > 0) return found
    // A value derived from a secret is only recognised once that secret is blanked out.
    return isFirst ? findGenerated(text, groups) : [...findDerivedKeys(text), ...findGenerated(text, groups)]
  }
}

function findGenerated(text: string, groups: HintGroups): Finding[] {
  const found = lateRules.flatMap(([group, find]) => (groups.has(group) ? find(text) : []))
  if (!mayHoldGeneratedValue(text)) return found
  const generated = generatedValueRules.flatMap(([group, find]) => (groups.has(group) ? find(text) : []))
  return [...found, ...generated, ...findUnlabelledValues(text)]
}

/** The rules that could find anything in this text. */
function rulesFor(text: string, groups: HintGroups): readonly Rule[] {
  if (groups.size === 0) return []
  const chosen: Rule[] = []
  for (const [group, find] of rules) if (groups.has(group)) chosen.push(find)
  // Hints are Latin, so keywords of other alphabets are searched for separately.
  const hasNonLatinKeyword =
    groups.has("nonLatin") && !groups.has("keywords") && mayHoldKeyword(text.toLowerCase())
  if (hasNonLatinKeyword) chosen.push(findLabelledSecrets)
  chosen.push((part) => findCodes(part, groups))
  return chosen
}

/** Tokens and keys, recognised in long runs of letters and digits without any label. */
function findInRuns(text: string): Finding[] {
  const runs = longRuns(text)
  if (runs.length === 0) return []
  const keys = mayBeHexKey(runs) ? findHexKeys(text) : []
  return [...findTokensIn(text, runs), ...findEncodedLogins(text, runs), ...keys]
}

/** Tokens that are wrapped over several lines. Apply it once tokens on one line are blanked out. */
export function findWrappedSecrets(text: string): Finding[] {
  return /[\n"'`]/.test(text) ? findWrappedTokens(text) : []
}
