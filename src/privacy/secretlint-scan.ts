import { blank, type Finding } from "./finding.ts"
import { longRuns } from "./values/long-runs.ts"
import { isOrdinary, isPlaceholder, looksRandom } from "./values/placeholders.ts"

/** Runs secretlint's recommended rules over a text. */
export type SecretlintScan = (text: string) => Promise<Finding[]>

/** Longer texts are scanned in overlapping pieces of this many characters. */
const pieceLength = 20_000
const overlap = 2000

/** Creates the scan. Secretlint is loaded on first use. */
export function createSecretlintScan(): SecretlintScan {
  let loading: ReturnType<typeof loadScanner> | undefined
  return async (text) => {
    loading ??= loadScanner()
    const scan = await loading
    let found: Finding[] = []
    for (let at = 0; at < text.length; at += pieceLength - overlap) {
      const findings = await scan(text.slice(at, at + pieceLength))
      found = found.concat(
        findings.map(({ kind, start, end }) => ({ kind, start: start + at, end: end + at })),
      )
    }
    return found
  }
}

const separator = /[^A-Za-z0-9_.+/=-]/
const shortestToken = 20

/** Whether secretlint could find anything: all its formats contain a long random part. */
export function mayHoldToken(text: string): boolean {
  const pieces = longRuns(text).flatMap(({ run }) => run.split(separator))
  return pieces.some((piece) => piece.length >= shortestToken && looksRandom(piece) && !isOrdinary(piece))
}

/**
 * Rules that are not used: comments that disable the scanner, keys in binary files, and credentials in URLs. For URLs
 * our own rules find the exact password and allow the defaults of local databases.
 */
const unused = /filter-comments|rule-gcp$|basicauth|database-connection-string/

async function loadScanner(): Promise<(text: string) => Promise<Finding[]>> {
  const [{ lintSource }, { rules }, { secretLintProfiler }] = await Promise.all([
    import("@secretlint/core"),
    import("@secretlint/secretlint-rule-preset-recommend"),
    import("@secretlint/profiler"),
  ])
  // The profiler keeps a record of every text, which would leak memory in a daemon.
  secretLintProfiler.setEnabled(false)
  const config = {
    rules: rules.filter((rule) => !unused.test(rule.meta.id)).map((rule) => ({ id: rule.meta.id, rule })),
  }
  return async (content) => {
    const source = { filePath: "memory.txt", content, ext: ".txt", contentType: "text" as const }
    const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } })
    return messages.flatMap(({ ruleId, range: [start, end] }) => {
      const kind = `${ruleId.replace(/^.*secretlint-rule-/, "")}-credential`
      const value = content.slice(start, end)
      return value.includes(blank) || isPlaceholder(value) ? [] : [{ kind, start, end }]
    })
  }
}
