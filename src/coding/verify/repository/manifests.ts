import { manifestNames, readForms } from "./manifest-forms.ts"
import { lockNames, readLock } from "./read-lock.ts"
import type { Tree } from "./tree.ts"

/** What a repository's own files say it is made of. Names are in lower case. */
export interface Manifests {
  /** What each library, tool or language is asked for or locked at, such as ^18.2.0 or 22. */
  declared: ReadonlyMap<string, readonly string[]>
  locked: ReadonlyMap<string, readonly string[]>
  /** Scripts of package.json files; undefined where there is no such file. */
  scripts: ReadonlySet<string> | undefined
  /** Targets of makefiles; undefined where there is none, or one that includes others or makes up its targets. */
  targets: ReadonlySet<string> | undefined
}

const mostFiles = 60
/** Other people's code, and what is only there to be tested with. */
const foreign =
  /(?:^|\/)(?:node_modules|vendor|third_party|fixtures?|testdata|templates?|examples?|samples?)\//

/** Reads every manifest and lock of a tree, those at its top first. */
export async function readManifests(
  tree: Tree,
  isOffLimits: (path: string) => Promise<boolean>,
): Promise<Manifests> {
  const names = new Set([...manifestNames, ...lockNames])
  const paths = [...tree.files]
    .filter((path) => names.has(nameOf(path)) && !foreign.test(path))
    .sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1))
    .slice(0, mostFiles)
  const found = new Collected()
  for (const path of paths) {
    if (await isOffLimits(path)) continue
    const text = await tree.read(path)
    if (text !== undefined) found.add(nameOf(path), /\.(?:json|toml)$/.test(path) ? text : leanText(text))
  }
  return found.manifests()
}

const longestLine = 500

/** Files that are read by their lines, without those that would make that slow. */
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

class Collected {
  readonly #declared = new Map<string, string[]>()
  readonly #locked = new Map<string, string[]>()
  #scripts: Set<string> | undefined
  #targets: Set<string> | undefined
  #hasMoreTargets = false

  add(name: string, text: string): void {
    if (lockNames.includes(name)) {
      readLock(name, text, (one, version) => put(this.#locked, one, version))
      return
    }
    if (name === "package.json") this.#scripts ??= new Set()
    if (/makefile$/i.test(name)) this.#targets ??= new Set()
    readForms[name]?.(text, {
      declare: (one, version) => put(this.#declared, one, version),
      script: (one) => this.#scripts?.add(one),
      target: (one) => this.#targets?.add(one),
      moreTargets: () => {
        this.#hasMoreTargets = true
      },
    })
  }

  manifests(): Manifests {
    const targets = this.#hasMoreTargets ? undefined : this.#targets
    return { declared: this.#declared, locked: this.#locked, scripts: this.#scripts, targets }
  }
}

function put(map: Map<string, string[]>, name: string, version: string): void {
  const key = name.toLowerCase()
  map.set(key, [...(map.get(key) ?? []), version])
}
