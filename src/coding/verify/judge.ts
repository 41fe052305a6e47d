import { checkClaim, type Finding, type Repository } from "./check.ts"
import { type Claim, type Claims, claimKey } from "./claims/claim.ts"
import { readClaims } from "./claims/read-claims.ts"

/** What a repository says of a memory's text. */
export type Judgement =
  /** Nothing in it can be looked up, or not all of it for sure. */
  | { outcome: "unknown" }
  /** All that can be looked up is as it says. */
  | { outcome: "confirmed" }
  | {
      outcome: "stale"
      /** What is no longer so, a sentence each. */
      notes: string[]
      /** The text as it would be true, where it says nothing else and that is known. */
      corrected: string | undefined
    }

/** Judges texts against one repository, looking each thing up once. */
export function createJudge(repository: Repository, root: string) {
  const known = new Map<string, Promise<Finding>>()
  const lookUp = (claim: Claim) => {
    const key = `${claim.isDenied ? "no " : ""}${claimKey(claim)}`
    const finding = known.get(key) ?? checkClaim(repository, claim)
    known.set(key, finding)
    return finding
  }
  const judge = async (content: string): Promise<Judgement> => {
    const read = readClaims(content, root)
    const found: Found[] = []
    for (const claim of read.claims) found.push({ claim, finding: await lookUp(claim) })
    return judgementOf(content, read, found)
  }
  return {
    judge,
    /** Whether the last text was not looked up to its end, and should be another time. */
    isSpent: () => repository.history.isSpent(),
    /** Looks up at once what some texts have in common: the words of the code. */
    async prepare(contents: readonly string[]): Promise<void> {
      const claims = contents.flatMap((content) => readClaims(content, root).claims)
      await repository.words.prepare(claims.flatMap((claim) => (claim.kind === "symbol" ? [claim.name] : [])))
    },
  }
}

export type Judge = ReturnType<typeof createJudge>

interface Found {
  claim: Claim
  finding: Finding
}

function judgementOf(content: string, read: Claims, found: readonly Found[]): Judgement {
  const notes = found.flatMap(({ finding }) => (finding.verdict === "stale" ? [finding.note] : []))
  const [only] = found
  if (notes.length > 0) {
    const corrected = read.isBareVersion && only ? correct(content, only) : undefined
    return { outcome: "stale", notes: [...new Set(notes)], corrected }
  }
  const isSure = found.length > 0 && found.every(({ finding }) => finding.verdict === "holds")
  return { outcome: isSure && !read.isPartial ? "confirmed" : "unknown" }
}

function correct(content: string, { claim, finding }: Found): string | undefined {
  if (claim.kind !== "version" || finding.verdict !== "stale" || finding.now === undefined) return undefined
  return `${content.slice(0, claim.from)}${finding.now}${content.slice(claim.to)}`
}
