import type { Clock } from "../base/clock.ts"
import { createExpiringCache } from "../base/expiring-cache.ts"
import type { Config } from "../config/schema.ts"
import { createAllowList } from "./allow-list.ts"
import { createSecretDetector, findWrappedSecrets } from "./built-in-rules.ts"
import { findPersonal, mayHoldPersonal, personalKinds } from "./detectors/personal.ts"
import { openEnvFiles } from "./files/env-files.ts"
import { openOffLimits } from "./files/off-limits.ts"
import { openOwnAddress } from "./files/own-address.ts"
import {
  beforeRedaction,
  blankMarks,
  blankOut,
  type Detector,
  type Finding,
  mergeFindings,
  redact,
} from "./finding.ts"
import { kindName } from "./kind-names.ts"
import { createSecretlintScan, mayHoldToken } from "./secretlint-scan.ts"
import { isWorthKeeping } from "./worth-keeping.ts"

/** The result of screening a text. */
type Screened =
  | { outcome: "clean"; text: string }
  /** Each finding is replaced by [kind removed]. */
  | { outcome: "redacted"; text: string; findings: Finding[] }
  /** The policy forbids it, nothing meaningful is left, or it comes from a file that is off limits. */
  | { outcome: "refused"; reason: string; findings: Finding[] }

type Policy = Pick<Config["privacy"], "secrets" | "personal_data">

/** Where a text comes from. */
export interface ScreenContext {
  /** The root of its project, whose .env files and ignore lists apply. */
  projectRoot?: string | null | undefined
  /** The roots of the projects it was written in, whatever it is about. Their .env files apply too. */
  sourceRoots?: Roots | undefined
  /** The files it quotes or is derived from, absolute or below the project's root. */
  files?: readonly string[] | undefined
  /** The policy as this project tightens it; by default the global one. */
  policy?: Policy | undefined
}

/** Removes secrets and personal data before a text is stored, exported, recalled or logged. */
export interface Screen {
  check(text: string, context?: ScreenContext): Promise<Screened>
  /** For log lines: redacts by our own rules and the .env values read so far, without secretlint or file access. */
  redactSync(text: string): string
  /** The same, after reading the .env files of these projects and of all known ones. */
  redact(text: string, roots?: Roots): Promise<string>
  /** Reads the .env files and the user's address of these projects, so that `redactSync` knows them. */
  learnProjects(roots: readonly string[]): Promise<void>
}

/** How long the list of known projects is cached. */
const knownRootsTtlMs = 30_000

/** Opens the screen. `privacy.allow` is the same for every project. */
export function openScreen(
  needs: {
    clock: Clock
    /** The roots of all known projects, so that a secret of one is also removed from texts of another. */
    knownRoots?: (() => Promise<readonly string[]>) | undefined
  },
  config: Config["privacy"],
): Screen {
  const isAllowed = createAllowList(config.allow)
  const envFiles = openEnvFiles(needs)
  const offLimits = openOffLimits(needs)
  const ownAddress = openOwnAddress(needs)
  const scanWithSecretlint = createSecretlintScan()
  const learned = createExpiringCache<"known", Promise<void>>(needs, {
    ttlMs: knownRootsTtlMs,
    maxEntries: 1,
  })

  async function learnValues(roots: readonly string[]): Promise<void> {
    const { knownRoots = async () => [] } = needs
    // A database that does not answer stores nothing either, so its failure is ignored here.
    const known = learned.get("known", () => knownRoots().then(envFiles.learn, () => undefined))
    await Promise.all([known, ...roots.map((root) => envFiles.refresh(root))])
  }

  async function isOwn(text: string, finding: Finding, roots: Roots): Promise<boolean> {
    if (finding.kind !== "email") return false
    const own = await Promise.all(roots.map((root) => ownAddress.of(root)))
    return own.includes(text.slice(finding.start, finding.end).toLowerCase())
  }

  async function findAll(text: string, roots: Roots, policy: Policy): Promise<Finding[]> {
    const distinct = distinctRoots(roots)
    await learnValues(distinct)
    const searches = [
      policy.personal_data === "keep" ? createSecretDetector : createFullDetector,
      () => (part: string) => envFiles.find(part, distinct),
    ]
    const findIn = async (part: string) => {
      const kept: Finding[] = []
      for (const finding of await scanInTurn(blankMarks(part), searches)) {
        if (!isAllowed(part, finding) && !(await isOwn(part, finding, roots))) kept.push(finding)
      }
      return kept
    }
    let found = await findIn(text)
    // Removing a finding moves the words around it together, and some rules measure distance: screen what is left.
    for (let round = 0; found.length > 0 && round < mostRounds; round += 1) {
      const removed = mergeFindings(found)
      const more = await findIn(redact(text, removed))
      if (more.length === 0) break
      found = [...found, ...beforeRedaction(more, removed)]
    }
    return found
  }

  /** Applies our own rules and secretlint in turn until neither finds anything. */
  async function scanInTurn(text: string, searches: readonly Search[]): Promise<Finding[]> {
    let found: Finding[] = []
    let { found: own, rest } = scan(text, searches)
    for (let round = 0; round < mostRounds; round += 1) {
      const theirs = mayHoldToken(rest) ? await scanWithSecretlint(rest) : []
      found = [...found, ...own, ...theirs]
      if (theirs.length === 0) break
      ;({ found: own, rest } = scan(blankOut(rest, mergeFindings(theirs)), searches))
    }
    return found
  }

  function redactSync(text: string): string {
    let redacted = text
    for (let round = 0; round < mostRounds; round += 1) {
      const next = redactOnce(redacted)
      if (next === redacted) break
      redacted = next
    }
    return redacted
  }

  function redactOnce(text: string): string {
    const search = config.personal_data === "keep" ? createSecretDetector : createFullDetector
    const { found } = scan(blankMarks(text), [search, () => (part) => envFiles.find(part)])
    const isOurs = (finding: Finding) =>
      finding.kind === "email" && ownAddress.isKnown(text.slice(finding.start, finding.end))
    const kept = found.filter((finding) => !isAllowed(text, finding) && !isOurs(finding))
    return redact(text, mergeFindings(kept))
  }

  return {
    async check(text, { projectRoot = null, sourceRoots = [], files = [], policy = config } = {}) {
      const roots = [projectRoot, ...sourceRoots]
      // A file belongs to the project the text is about or, without one, to the first it was written in.
      const reason = await offLimits.reasonFor(distinctRoots(roots)[0] ?? null, files)
      if (reason !== undefined) return { outcome: "refused", reason, findings: [] }
      const found = await findAll(text, roots, policy)
      return found.length === 0 ? { outcome: "clean", text } : decide(text, found, policy)
    },
    async redact(text, roots = []) {
      await learnValues(distinctRoots(roots))
      return redactSync(text)
    },
    redactSync,
    async learnProjects(roots) {
      await envFiles.learn(roots)
      for (const root of [null, ...roots]) await ownAddress.of(root)
    },
  }
}

/** Roots of projects; null for a text outside of any project. */
type Roots = readonly (string | null)[]

function distinctRoots(roots: Roots): string[] {
  return [...new Set(roots)].filter((root) => root !== null)
}

/** Creates a detector for one text, which may remember what it found in earlier rounds. */
type Search = () => Detector

/** More rounds than any real text needs. */
const mostRounds = 8

/**
 * Scans until nothing more is found, blanking out findings between rounds, so that screening the redacted text again
 * finds nothing. Findings that will be allowed are blanked out too, so that no other rule matches them.
 */
function scan(text: string, searches: readonly Search[]): { found: Finding[]; rest: string } {
  let detectors = searches.map((start) => start())
  let found: Finding[] = []
  let rest = text
  let isFromStart = true
  for (let round = 0; round < mostRounds; round += 1) {
    const seen = rest
    let now = detectors.flatMap((detect) => detect(seen))
    if (now.length === 0) now = findWrappedSecrets(rest)
    if (now.length === 0 && isFromStart) break
    // A blanked finding may have hidden a secret from a rule that has stopped: an address after a password.
    if (now.length === 0) detectors = searches.map((start) => start())
    isFromStart = now.length === 0
    found = [...found, ...now]
    rest = blankOut(rest, mergeFindings(now))
  }
  return { found, rest }
}

function createFullDetector(): Detector {
  const findSecrets = createSecretDetector()
  return (text) => (mayHoldPersonal(text) ? [...findSecrets(text), ...findPersonal(text)] : findSecrets(text))
}

function decide(text: string, found: readonly Finding[], policy: Policy): Screened {
  const findings = mergeFindings(found)
  const kinds = [...new Set(found.map(({ kind }) => kind))]
  const refusing = kinds.filter((kind) =>
    personalKinds.has(kind) ? policy.personal_data === "refuse" : policy.secrets === "refuse",
  )
  if (refusing.length > 0) {
    const key = refusing.every((kind) => personalKinds.has(kind)) ? "personal_data" : "secrets"
    const reason = `it contains ${namesOf(refusing)}, and privacy.${key} is set to refuse`
    return { outcome: "refused", reason, findings }
  }
  const redacted = redact(text, findings)
  if (isWorthKeeping(redacted)) return { outcome: "redacted", text: redacted, findings }
  return { outcome: "refused", reason: `it looks like ${describeKinds(kinds)}`, findings }
}

/** Such as "a Stripe secret key", or "personal data (an e-mail address)". */
function describeKinds(kinds: readonly string[]): string {
  const isPersonal = kinds.every((kind) => personalKinds.has(kind))
  return isPersonal ? `personal data (${namesOf(kinds)})` : namesOf(kinds)
}

function namesOf(kinds: readonly string[]): string {
  return kinds.map(kindName).join(", ")
}
