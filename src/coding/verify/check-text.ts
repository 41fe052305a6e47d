import { checkClaim, type Finding, type Repository } from "./check.ts"
import { type Claim, type Claims, claimKey } from "./claims/claim.ts"
import { readClaims } from "./claims/read-claims.ts"

/** Whether a memory's text agrees with the repository. */
export type TextVerdict =
  /** Nothing in it can be checked, or not all of it with certainty. */
  | { outcome: "unknown" }
  /** Everything that can be checked is true. */
  | { outcome: "confirmed" }
  | {
      outcome: "stale"
      /** What is no longer true, a sentence each. */
      notes: string[]
      /** The corrected text, if it states one version only and the new one is known. */
      corrected: string | undefined
    }

/** Checks texts against one repository, and each claim once. */
export function createTextChecker(repository: Repository, root: string) {
  const known = new Map<string, Promise<Finding>>()
  const findingFor = (claim: Claim) => {
    const key = `${claim.isDenied ? "no " : ""}${claimKey(claim)}`
    const finding = known.get(key) ?? checkClaim(repository, claim)
    known.set(key, finding)
    return finding
  }
  const check = async (content: string): Promise<TextVerdict> => {
    const read = readClaims(content, root)
    const found: CheckedClaim[] = []
    for (const claim of read.claims) found.push({ claim, finding: await findingFor(claim) })
    return verdictOf(content, read, found)
  }
  return {
    check,
    /** Whether the search budget ran out, so that the last text must be checked again later. */
    isSpent: () => repository.history.isSpent(),
    /** Searches the code for the symbols of several texts at once. */
    async prepare(contents: readonly string[]): Promise<void> {
      const claims = contents.flatMap((content) => readClaims(content, root).claims)
      await repository.words.prepare(claims.flatMap((claim) => (claim.kind === "symbol" ? [claim.name] : [])))
    },
  }
}

export type TextChecker = ReturnType<typeof createTextChecker>

interface CheckedClaim {
  claim: Claim
  finding: Finding
}

function verdictOf(content: string, read: Claims, found: readonly CheckedClaim[]): TextVerdict {
  const notes = found.flatMap(({ finding }) => (finding.verdict === "stale" ? [finding.note] : []))
  const [only] = found
  if (notes.length > 0) {
    const corrected = read.isBareVersion && only ? correct(content, only) : undefined
    return { outcome: "stale", notes: [...new Set(notes)], corrected }
  }
  const isSure = found.length > 0 && found.every(({ finding }) => finding.verdict === "holds")
  return { outcome: isSure && !read.isPartial ? "confirmed" : "unknown" }
}

function correct(content: string, { claim, finding }: CheckedClaim): string | undefined {
  if (claim.kind !== "version" || finding.verdict !== "stale" || finding.now === undefined) return undefined
  return `${content.slice(0, claim.from)}${finding.now}${content.slice(claim.to)}`
}
