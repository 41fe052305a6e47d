import type { Clock } from "../base/clock.ts"
import type { Config } from "../config/schema.ts"
import { createAllowList } from "./allow-list.ts"
import { findBrokenSecrets, searchSecrets } from "./built-in-rules.ts"
import { findPersonal, mayHoldPersonal, personalKinds } from "./detectors/personal.ts"
import { openEnvFiles } from "./files/env-files.ts"
import { openOffLimits } from "./files/off-limits.ts"
import { openOwnAddress } from "./files/own-address.ts"
import { cutOut, type Detector, type Finding, merged, redact, withHoles } from "./finding.ts"
import { kindName } from "./kind-names.ts"
import { createSecondOpinion, isWorthAsking } from "./second-opinion.ts"
import { isWorthKeeping } from "./worth-keeping.ts"

/** What became of a text that was looked through. */
type Screened =
  | { outcome: "clean"; text: string }
  /** Each finding is replaced by [kind removed]; the rest is still worth keeping. */
  | { outcome: "redacted"; text: string; findings: Finding[] }
  /** The policy forbids it, nothing worth keeping is left, or it comes from a file that is off limits. */
  | { outcome: "refused"; reason: string; findings: Finding[] }

/** What is done about findings. */
type Policy = Pick<Config["privacy"], "secrets" | "personal_data">

/** Where a text comes from. */
export interface ScreenContext {
  /** The top folder of its project, whose .env files and ignore lists hold. */
  projectRoot?: string | null | undefined
  /** The top folders of the projects it was said in, whatever it is about: their .env files hold too. */
  saidIn?: Roots | undefined
  /** The files it quotes or is derived from, absolute or below the project's root. */
  files?: readonly string[] | undefined
  /** The policy as this project tightens it; the global one without it. */
  policy?: Policy | undefined
}

/** Keeps secrets and personal data out of whatever lasts: store, journal, export, recall, log. */
export interface Screen {
  check(text: string, context?: ScreenContext): Promise<Screened>
  /** For log lines: our own rules and all .env values known so far, always redacted, nothing asked or read. */
  redactSync(text: string): string
  /** The same for what is kept at once, after a look at the .env files of these projects and of all known ones. */
  redact(text: string, roots?: Roots): Promise<string>
  /** Learns what is the user's own and what is secret in these projects, so that `redactSync` knows it too. */
  learnOwn(roots: readonly string[]): Promise<void>
}

/** For so long it is believed which projects are known. */
const rootsBelievedMs = 30_000

/** Opens the screen. What the configuration allows is the same for every project. */
export function openScreen(
  needs: {
    clock: Clock
    /** The top folders of all projects that are known, so that a secret of one is not told in another; none without it. */
    knownRoots?: (() => Promise<readonly string[]>) | undefined
  },
  config: Config["privacy"],
): Screen {
  const allowed = createAllowList(config.allow)
  const envFiles = openEnvFiles(needs)
  const offLimits = openOffLimits(needs)
  const ownAddress = openOwnAddress(needs)
  const askAgain = createSecondOpinion()

  let learning: { until: number; done: Promise<void> } | undefined

  /** Looks at the .env files of all known projects, now and then. */
  function learnKnown(): Promise<void> {
    const { clock, knownRoots } = needs
    if (knownRoots === undefined) return Promise.resolve()
    if (learning === undefined || learning.until <= clock.now()) {
      // A store that does not answer takes no memories either.
      const done = knownRoots().then(envFiles.learn, () => undefined)
      learning = { until: clock.now() + rootsBelievedMs, done }
    }
    return learning.done
  }

  async function learnValues(roots: readonly string[]): Promise<void> {
    await Promise.all([learnKnown(), ...roots.map((root) => envFiles.refresh(root))])
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
      policy.personal_data === "keep" ? searchSecrets : searchEverything,
      () => (part: string) => envFiles.find(part, distinct),
    ]
    const kept: Finding[] = []
    for (const finding of await lookAndAsk(withHoles(text), searches)) {
      if (!allowed.allows(text, finding) && !(await isOwn(text, finding, roots))) kept.push(finding)
    }
    return kept
  }

  /** Our own rules and the second opinion in turn, until neither finds anything. */
  async function lookAndAsk(text: string, searches: readonly Search[]): Promise<Finding[]> {
    let found: Finding[] = []
    let { found: own, rest } = look(text, searches)
    for (let round = 0; round < mostRounds; round += 1) {
      const again = isWorthAsking(rest) ? await askAgain(rest) : []
      found = [...found, ...own, ...again]
      if (again.length === 0) break
      ;({ found: own, rest } = look(cutOut(rest, merged(again)), searches))
    }
    return found
  }

  function redactSync(text: string): string {
    const search = config.personal_data === "keep" ? searchSecrets : searchEverything
    const { found } = look(withHoles(text), [search, () => (part) => envFiles.find(part)])
    const isOurs = (finding: Finding) =>
      finding.kind === "email" && ownAddress.isKnown(text.slice(finding.start, finding.end))
    const kept = found.filter((finding) => !allowed.allows(text, finding) && !isOurs(finding))
    return redact(text, merged(kept))
  }

  return {
    async check(text, { projectRoot = null, saidIn = [], files = [], policy = config } = {}) {
      const reason = files.length === 0 ? undefined : await whyOffLimits([projectRoot, ...saidIn], files)
      if (reason !== undefined) return { outcome: "refused", reason, findings: [] }
      const found = await findAll(text, [projectRoot, ...saidIn], policy)
      return found.length === 0 ? { outcome: "clean", text } : decide(text, found, policy)
    },
    async redact(text, roots = []) {
      await learnValues(distinctRoots(roots))
      return redactSync(text)
    },
    redactSync,
    async learnOwn(roots) {
      await envFiles.learn(roots)
      for (const root of [null, ...roots]) await ownAddress.of(root)
    },
  }

  /** A file is one of the project it is about or, where there is none, of the first it was spoken of in. */
  function whyOffLimits(roots: Roots, files: readonly string[]): Promise<string | undefined> {
    return offLimits.reasonFor(distinctRoots(roots)[0] ?? null, files)
  }
}

/** Top folders of projects; null where something is in none. */
type Roots = readonly (string | null)[]

function distinctRoots(roots: Roots): string[] {
  return [...new Set(roots)].filter((root) => root !== null)
}

/** Starts looking through one text; what it gives may remember what it found in the rounds before. */
type Search = () => Detector

/** More rounds than any real text needs. */
const mostRounds = 8

/**
 * Looks until nothing more is found, cutting out what was: then looking through the redacted text again finds nothing
 * either. What will be allowed is cut out of the rest too, so that no other rule takes it.
 */
function look(text: string, searches: readonly Search[]): { found: Finding[]; rest: string } {
  let detectors = searches.map((start) => start())
  let found: Finding[] = []
  let rest = text
  let isFromStart = true
  for (let round = 0; round < mostRounds; round += 1) {
    const seen = rest
    let now = detectors.flatMap((detect) => detect(seen))
    if (now.length === 0) now = findBrokenSecrets(rest)
    if (now.length === 0 && isFromStart) break
    // What is cut out may have hidden a secret from a rule that found nothing then: an address behind a password.
    if (now.length === 0) detectors = searches.map((start) => start())
    isFromStart = now.length === 0
    found = [...found, ...now]
    rest = cutOut(rest, merged(now))
  }
  return { found, rest }
}

function searchEverything(): Detector {
  const findSecrets = searchSecrets()
  return (text) => (mayHoldPersonal(text) ? [...findSecrets(text), ...findPersonal(text)] : findSecrets(text))
}

function decide(text: string, found: readonly Finding[], policy: Policy): Screened {
  const findings = merged(found)
  const kinds = [...new Set(found.map(({ kind }) => kind))]
  const refusing = kinds.filter((kind) =>
    personalKinds.has(kind) ? policy.personal_data === "refuse" : policy.secrets === "refuse",
  )
  if (refusing.length > 0) {
    const key = refusing.every((kind) => personalKinds.has(kind)) ? "personal_data" : "secrets"
    const reason = `it contains ${namesOf(refusing)}, which may not be kept (privacy.${key} is refuse)`
    return { outcome: "refused", reason, findings }
  }
  const redacted = redact(text, findings)
  if (isWorthKeeping(redacted)) return { outcome: "redacted", text: redacted, findings }
  return { outcome: "refused", reason: `it looks like ${lookOf(kinds)}`, findings }
}

/** Such as "a Stripe secret key", or "personal data (an e-mail address)". */
function lookOf(kinds: readonly string[]): string {
  const isPersonal = kinds.every((kind) => personalKinds.has(kind))
  return isPersonal ? `personal data (${namesOf(kinds)})` : namesOf(kinds)
}

function namesOf(kinds: readonly string[]): string {
  return kinds.map(kindName).join(", ")
}
