import type { Claim } from "./claims/claim.ts"
import { namesOf } from "./claims/names.ts"
import type { History } from "./repository/history.ts"
import type { Manifests } from "./repository/manifests.ts"
import type { Tree } from "./repository/tree.ts"
import { inStyleOf, isSameVersion, matchRange } from "./repository/versions.ts"
import type { Words } from "./repository/words.ts"

/** What became of a claim: `stale` is what held once, or could have, and no longer does. */
export type Finding =
  | { verdict: "holds" }
  | { verdict: "unknown" }
  | {
      verdict: "stale"
      /** What is the matter, as a sentence. */
      note: string
      /** What replaced it, if that is known. */
      now: string | undefined
    }

/** Everything claims are looked up in. */
export interface Repository {
  /** The work tree, and the main branch where another one is checked out: what is in either of them is there. */
  checkouts: readonly { tree: Tree; manifests: Manifests }[]
  /** Words of the code in any of these checkouts. */
  words: Words
  history: History
  isOffLimits(path: string): Promise<boolean>
}

const unknown: Finding = { verdict: "unknown" }
const holds: Finding = { verdict: "holds" }

/** Looks a claim up. Whatever is not sure is unknown. */
export async function checkClaim(repository: Repository, claim: Claim): Promise<Finding> {
  const finding = await lookUp(repository, claim)
  if (!claim.isDenied) return finding
  // What is gone bears out that it is not used; what is there may be there in spite of it.
  return finding.verdict === "stale" ? holds : unknown
}

function lookUp(repository: Repository, claim: Claim): Promise<Finding> {
  switch (claim.kind) {
    case "path":
      return checkPath(repository, claim.path)
    case "symbol":
      return checkSymbol(repository, claim.name)
    case "script":
      return checkScript(repository, claim.name)
    case "target":
      return checkTarget(repository, claim.name)
    case "dependency":
      return checkDependency(repository, claim.name)
    case "version":
      return checkVersion(repository, claim.name, claim.version)
  }
}

/** Endings that an import leaves out, or names by what they become. */
const moduleEndings = [
  "ts",
  "tsx",
  "js",
  "jsx",
  "mjs",
  "cjs",
  "mts",
  "cts",
  "py",
  "rb",
  "go",
  "rs",
  "vue",
  "svelte",
  "java",
  "kt",
]

async function checkPath(repository: Repository, path: string): Promise<Finding> {
  const { checkouts, history } = repository
  const file = path.replace(/\/$/, "")
  if (checkouts.some(({ tree }) => tree.modules.some((one) => one === file || file.startsWith(`${one}/`))))
    return unknown
  if (checkouts.some(({ tree }) => isThere(tree, file))) return holds
  if (await repository.isOffLimits(file)) return unknown
  const old = await goneAs(history, file)
  if (old === undefined) return unknown
  const now = await history.renamed(old)
  const kind = old.endsWith("/") ? "The folder" : "The file"
  const stands = now !== undefined && checkouts.some(({ tree }) => isThere(tree, now.replace(/\/$/, "")))
  if (stands && !(await repository.isOffLimits(now)))
    return { verdict: "stale", note: `${kind} ${file} is ${now} now.`, now }
  return { verdict: "stale", note: `${kind} ${file} is no longer there.`, now: undefined }
}

/** As a file, a folder or a module, at the top or anywhere below. */
function isThere({ endings }: Tree, file: string): boolean {
  if (endings.has(file) || endings.has(`${file}/`)) return true
  return !/\.\w+$/.test(file) && moduleEndings.some((ending) => endings.has(`${file}.${ending}`))
}

/** The path under which it was once there: as it is, as a folder, as a module, or somewhere below. */
async function goneAs(history: History, file: string): Promise<string | undefined> {
  const deleted = await history.deleted()
  const candidates = [
    file,
    `${file}/`,
    ...(/\.\w+$/.test(file) ? [] : moduleEndings.map((ending) => `${file}.${ending}`)),
  ]
  const exact = candidates.find((path) => deleted.has(path))
  if (exact !== undefined) return exact
  for (const path of deleted.keys()) if (path.endsWith(`/${file}`)) return path
  return undefined
}

async function checkSymbol({ words, history }: Repository, name: string): Promise<Finding> {
  const found = await words.has(name)
  if (found !== false) return found ? holds : unknown
  if (!(await history.wasDefined(name))) return unknown
  return { verdict: "stale", note: `Nothing in the code is called ${name} any more.`, now: undefined }
}

async function checkScript({ checkouts, history }: Repository, name: string): Promise<Finding> {
  if (checkouts.every(({ manifests }) => manifests.scripts === undefined)) return unknown
  if (checkouts.some(({ manifests }) => manifests.scripts?.has(name))) return holds
  const line = new RegExp(`^\\s*"${escaped(name)}"\\s*:\\s*"`)
  if (!(await history.removedLines()).some((removed) => line.test(removed))) return unknown
  return { verdict: "stale", note: `package.json has no script ${name} any more.`, now: undefined }
}

async function checkTarget({ checkouts, history }: Repository, name: string): Promise<Finding> {
  if (checkouts.some(({ manifests }) => manifests.targets?.has(name))) return holds
  if (checkouts.some(({ manifests }) => manifests.targets === undefined)) return unknown
  const line = new RegExp(`^(?:[\\w./-]+\\s+)*${escaped(name)}(?:\\s+[\\w./-]+)*\\s*:(?!=)`)
  if (!(await history.removedLines()).some((removed) => line.test(removed))) return unknown
  return { verdict: "stale", note: `The Makefile has no target ${name} any more.`, now: undefined }
}

async function checkDependency({ checkouts, history }: Repository, told: string): Promise<Finding> {
  const names = namesOf(told)
  if (checkouts.some(({ manifests }) => names.some((name) => manifests.declared.has(name)))) return holds
  // What is only locked is there because something else needs it; that is not sure enough either way.
  const removed = await history.removedLines()
  if (!removed.some((line) => names.some((name) => dependencyLine(name).test(line)))) return unknown
  return { verdict: "stale", note: `${told} is no longer among the dependencies.`, now: undefined }
}

/** A line that asks for a library, in any of the manifests. A script of the same name is none: it begins with no number. */
function dependencyLine(name: string): RegExp {
  const own = escaped(name)
  return new RegExp(
    `^\\s*"${own}"\\s*:\\s*"(?:[\\^~<>=*v\\d]|workspace:|npm:|file:|git|latest)|^\\s*["']?${own}(?:\\[[^\\]]*\\])?["']?\\s*(?:[=~<>!]=|=\\s*["{])|^\\s*["']${own}["']\\s*,?\\s*$|^\\s*gem\\s+["']${own}["']|^\\s*(?:require\\s+)?\\S*${own}\\s+v\\d`,
    "i",
  )
}

async function checkVersion(repository: Repository, told: string, version: string): Promise<Finding> {
  const names = namesOf(told)
  const each = (pick: (manifests: Manifests) => ReadonlyMap<string, readonly string[]>) =>
    repository.checkouts.flatMap(({ manifests }) => names.flatMap((name) => pick(manifests).get(name) ?? []))
  const [declared, locked] = [each((one) => one.declared), each((one) => one.locked)]
  if (declared.length === 0) {
    // It went as a whole: that it was there once is what makes it stale.
    const gone = await checkDependency(repository, told)
    return gone.verdict === "stale" ? gone : unknown
  }
  const matches = declared.map((range) => matchRange(version, range))
  if (matches.includes("same") || locked.some((exact) => isSameVersion(version, exact))) return holds
  if (matches.every((match) => match === "least")) return holds
  if (matches.includes("least") || (locked.length === 0 && matches.includes("unclear"))) return unknown
  return otherVersion(told, version, locked.length > 0 ? locked : declared)
}

function otherVersion(told: string, version: string, found: readonly string[]): Finding {
  const [now, ...others] = new Set(found.map((exact) => inStyleOf(version, exact)))
  if (now === undefined || now === "") return unknown
  if (others.length > 0)
    return { verdict: "stale", note: `${told} is not at ${version} any more.`, now: undefined }
  return { verdict: "stale", note: `${told} is at ${now} now, not ${version}.`, now }
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")
}
