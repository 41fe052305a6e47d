import { manifestNames, readForms } from "./manifest-forms.ts"
import { lockNames, readLock } from "./read-lock.ts"
import type { Tree } from "./tree.ts"

/** What a repository's manifests declare. Names are in lower case. */
export interface Manifests {
  /** The required and locked versions of each library, tool or language, such as ^18.2.0 or 22. */
  declared: ReadonlyMap<string, readonly string[]>
  locked: ReadonlyMap<string, readonly string[]>
  /** Scripts of package.json files; undefined if there is no such file. */
  scripts: ReadonlySet<string> | undefined
  /** Targets of makefiles; undefined if there is none, or if one includes others or generates targets. */
  targets: ReadonlySet<string> | undefined
}

const mostFiles = 60
/** Folders of third-party code and of test data. */
const otherCode =
  /(?:^|\/)(?:node_modules|vendor|third_party|fixtures?|testdata|templates?|examples?|samples?)\//

/** Reads the manifests and lock files of a tree, those at the top first. */
export async function readManifests(
  tree: Tree,
  isOffLimits: (path: string) => Promise<boolean>,
): Promise<Manifests> {
  const names = new Set([...manifestNames, ...lockNames])
  const paths = [...tree.files]
    .filter((path) => names.has(nameOf(path)) && !otherCode.test(path))
    .sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
    .slice(0, mostFiles)
  const declared = new Map<string, string[]>()
  const locked = new Map<string, string[]>()
  const scripts = new Set<string>()
  const targets = new Set<string>()
  const read = new Set<string>()
  let hasMoreTargets = false
  for (const path of paths) {
    if (await isOffLimits(path)) continue
    const text = await tree.read(path)
    if (text === undefined) continue
    const name = nameOf(path)
    const lean = /\.(?:json|toml)$/.test(path) ? text : leanText(text)
    read.add(name.toLowerCase())
    if (lockNames.includes(name)) readLock(name, lean, (one, version) => put(locked, one, version))
    else
      readForms[name]?.(lean, {
        declare: (one, version) => put(declared, one, version),
        script: (one) => scripts.add(one),
        target: (one) => targets.add(one),
        moreTargets: () => {
          hasMoreTargets = true
        },
      })
  }
  const hasMakefile = read.has("makefile") || read.has("gnumakefile")
  return {
    declared,
    locked,
    scripts: read.has("package.json") ? scripts : undefined,
    targets: hasMakefile && !hasMoreTargets ? targets : undefined,
  }
}

const longestLine = 500

/** A file that is read by lines, without empty lines and long ones that would make that slow. */
function leanText(text: string): string {
  const lines = text.split("\n").filter((line) => line.length <= longestLine && line.trim() !== "")
  return `${lines.join("\n")}\n`
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

function depth(path: string): number {
  return path.split("/").length
}

function put(map: Map<string, string[]>, name: string, version: string): void {
  const key = name.toLowerCase()
  map.set(key, [...(map.get(key) ?? []), version])
}
