import { type Finding, hole } from "./finding.ts"
import { longRuns } from "./values/long-runs.ts"
import { isOrdinary, isPlaceholder, looksRandom } from "./values/placeholders.ts"

/** Asks secretlint's recommended rules about a text. */
export type SecondOpinion = (text: string) => Promise<Finding[]>

/** Longer texts are asked about piece by piece, with some overlap. */
const pieceLength = 20_000
const overlap = 2000

/** Makes the second opinion; the scanner is loaded when it is first needed. */
export function createSecondOpinion(): SecondOpinion {
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

const noPartOfToken = /[^A-Za-z0-9_.+/=-]/
const shortestToken = 20

/** Whether asking could bring anything: every format it knows has a long stretch of chance in it. */
export function isWorthAsking(text: string): boolean {
  const pieces = longRuns(text).flatMap(({ run }) => run.split(noPartOfToken))
  return pieces.some((piece) => piece.length >= shortestToken && looksRandom(piece) && !isOrdinary(piece))
}

/**
 * Rules that are of no use here: comments that switch the scanner off, keys in binary files, and credentials in URLs,
 * of which our own rules find exactly the password and let the defaults of a local database pass.
 */
const unused = /filter-comments|rule-gcp$|basicauth|database-connection-string/

async function loadScanner(): Promise<(text: string) => Promise<Finding[]>> {
  const [{ lintSource }, { rules }, { secretLintProfiler }] = await Promise.all([
    import("@secretlint/core"),
    import("@secretlint/secretlint-rule-preset-recommend"),
    import("@secretlint/profiler"),
  ])
  // It keeps a record of every text it was shown, which a daemon cannot afford.
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
      return value.includes(hole) || isPlaceholder(value) ? [] : [{ kind, start, end }]
    })
  }
}
