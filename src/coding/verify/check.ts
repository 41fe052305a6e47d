import { escapeRegExp } from "../../base/text/elements.ts"
import type { Claim } from "./claims/claim.ts"
import { namesOf } from "./claims/names.ts"
import type { History } from "./repository/history.ts"
import type { Manifests } from "./repository/manifests.ts"
import type { Tree } from "./repository/tree.ts"
import { inStyleOf, isSameVersion, matchRange } from "./repository/versions.ts"
import type { Words } from "./repository/words.ts"

/** The result of checking a claim: `stale` if it was true once, or may have been, and no longer is. */
export type Finding =
  | { verdict: "holds" }
  | { verdict: "unknown" }
  | {
      verdict: "stale"
      /** What is wrong, as a sentence. */
      note: string
      /** What replaced it, if that is known. */
      now?: string
    }

/** Everything that claims are checked against. */
export interface Repository {
  /** The work tree, and the main branch if another one is checked out. A thing exists if either has it. */
  checkouts: readonly { tree: Tree; manifests: Manifests }[]
  /** The words of the code in these checkouts. */
  words: Words
  history: History
  isOffLimits(path: string): Promise<boolean>
}

const unknown: Finding = { verdict: "unknown" }
const holds: Finding = { verdict: "holds" }

/** Checks a claim. Whatever is not certain is unknown. */
export async function checkClaim(repository: Repository, claim: Claim): Promise<Finding> {
  const finding = await lookUp(repository, claim)
  if (!claim.isDenied) return finding
  // A thing that is gone confirms that it is not used; a thing that exists may be unused all the same.
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

/** File extensions that an import omits or replaces. */
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
  const exists = now !== undefined && checkouts.some(({ tree }) => isThere(tree, now.replace(/\/$/, "")))
  if (exists && !(await repository.isOffLimits(now)))
    return { verdict: "stale", note: `${kind} ${file} is ${now} now.`, now }
  return { verdict: "stale", note: `${kind} ${file} is no longer there.` }
}

/** Whether a path exists as a file, folder or module, at the top or anywhere below. */
function isThere({ endings }: Tree, file: string): boolean {
  if (endings.has(file) || endings.has(`${file}/`)) return true
  return !/\.\w+$/.test(file) && moduleEndings.some((ending) => endings.has(`${file}.${ending}`))
}

/** The path under which it once existed: as it is, as a folder, as a module, or somewhere below. */
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
  return { verdict: "stale", note: `Nothing in the code is called ${name} any more.` }
}

async function checkScript({ checkouts, history }: Repository, name: string): Promise<Finding> {
  if (checkouts.every(({ manifests }) => manifests.scripts === undefined)) return unknown
  if (checkouts.some(({ manifests }) => manifests.scripts?.has(name))) return holds
  const line = new RegExp(`^\\s*"${escapeRegExp(name)}"\\s*:\\s*"`)
  if (!(await history.removedLines()).some((removed) => line.test(removed))) return unknown
  return { verdict: "stale", note: `package.json has no script ${name} any more.` }
}

async function checkTarget({ checkouts, history }: Repository, name: string): Promise<Finding> {
  if (checkouts.some(({ manifests }) => manifests.targets?.has(name))) return holds
  if (checkouts.some(({ manifests }) => manifests.targets === undefined)) return unknown
  const line = new RegExp(`^(?:[\\w./-]+\\s+)*${escapeRegExp(name)}(?:\\s+[\\w./-]+)*\\s*:(?!=)`)
  if (!(await history.removedLines()).some((removed) => line.test(removed))) return unknown
  return { verdict: "stale", note: `The Makefile has no target ${name} any more.` }
}

async function checkDependency({ checkouts, history }: Repository, dependency: string): Promise<Finding> {
  const names = namesOf(dependency)
  if (checkouts.some(({ manifests }) => names.some((name) => manifests.declared.has(name)))) return holds
  // A library that is only in the lock file is needed by another one, which says nothing certain.
  const removed = await history.removedLines()
  if (!removed.some((line) => names.some((name) => dependencyLine(name).test(line)))) return unknown
  return { verdict: "stale", note: `${dependency} is no longer among the dependencies.` }
}

/** A manifest line that requires a library. A script of the same name does not match: it starts with no version. */
function dependencyLine(name: string): RegExp {
  const own = escapeRegExp(name)
  return new RegExp(
    `^\\s*"${own}"\\s*:\\s*"(?:[\\^~<>=*v\\d]|workspace:|npm:|file:|git|latest)|^\\s*["']?${own}(?:\\[[^\\]]*\\])?["']?\\s*(?:[=~<>!]=|=\\s*["{])|^\\s*["']${own}["']\\s*,?\\s*$|^\\s*gem\\s+["']${own}["']|^\\s*(?:require\\s+)?\\S*${own}\\s+v\\d`,
    "i",
  )
}

async function checkVersion(repository: Repository, dependency: string, version: string): Promise<Finding> {
  const names = namesOf(dependency)
  const each = (pick: (manifests: Manifests) => ReadonlyMap<string, readonly string[]>) =>
    repository.checkouts.flatMap(({ manifests }) => names.flatMap((name) => pick(manifests).get(name) ?? []))
  const [declared, locked] = [each((one) => one.declared), each((one) => one.locked)]
  if (declared.length === 0) {
    const gone = await checkDependency(repository, dependency)
    return gone.verdict === "stale" ? gone : unknown
  }
  const matches = declared.map((range) => matchRange(version, range))
  if (matches.includes("same") || locked.some((exact) => isSameVersion(version, exact))) return holds
  if (matches.every((match) => match === "least")) return holds
  if (matches.includes("least") || (locked.length === 0 && matches.includes("unclear"))) return unknown
  return otherVersion(dependency, version, locked.length > 0 ? locked : declared)
}

function otherVersion(dependency: string, version: string, found: readonly string[]): Finding {
  const [now, ...others] = new Set(found.map((exact) => inStyleOf(version, exact)))
  if (now === undefined || now === "") return unknown
  if (others.length > 0) return { verdict: "stale", note: `${dependency} is not at ${version} any more.` }
  return { verdict: "stale", note: `${dependency} is at ${now} now, not ${version}.`, now }
}
