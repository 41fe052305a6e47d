import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { readWithin } from "../../base/files/read-bounded.ts"
import { holdsEnvironment } from "./env-files.ts"
import { type GitIgnored, openGitIgnored } from "./git-ignored.ts"
import { isIgnored, parseIgnoreList } from "./ignore-rules.ts"

/** Tells which files nothing may be remembered from. */
export interface OffLimits {
  /** Why one of these files is off limits, as the end of a sentence; undefined if none is. */
  reasonFor(root: string | null, files: readonly string[]): Promise<string | undefined>
}

const believedMs = 10_000
const mostKept = 10_000
const longestList = 262_144
/** Linux takes no longer path. */
const longestPath = 4096
const secretsList = ".secretsignore"

/** Files that hold credentials and nothing else, wherever they are and whatever git thinks of them. */
const credentialFiles =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|\.vault-token|.+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|age))$/i
const credentialPaths =
  /(?:^|\/)(?:\.ssh\/(?!config$|known_hosts)[^/]+|\.aws\/credentials|\.gnupg\/.+|\.kube\/config|\.docker\/config\.json)$/i

/** Opens the keeper of what is off limits; what git says of a file is believed for a while. */
export function openOffLimits({ clock }: { clock: Clock }): OffLimits {
  const known = new Map<string, { reason: Promise<string | undefined>; until: number }>()
  const gitIgnored = openGitIgnored({ clock })

  function reasonForOne(root: string | null, file: string): Promise<string | undefined> {
    const key = `${root ?? ""}\0${file}`
    const before = known.get(key)
    if (before !== undefined && before.until > clock.now()) return before.reason
    if (known.size >= mostKept) known.clear()
    const reason = findReason(gitIgnored, root, file)
    known.set(key, { reason, until: clock.now() + believedMs })
    return reason
  }

  return {
    async reasonFor(root, files) {
      for (const file of new Set(files)) {
        const reason = await reasonForOne(root, file)
        if (reason !== undefined) return reason
      }
      return undefined
    },
  }
}

async function findReason(
  gitIgnored: GitIgnored,
  root: string | null,
  file: string,
): Promise<string | undefined> {
  if (file.length > longestPath) return "it comes from a file whose path is too long"
  const path = file.replaceAll("\\", "/")
  if (holdsEnvironment(basename(path))) return `it comes from an environment file (${file})`
  if (credentialFiles.test(basename(path)) || credentialPaths.test(path)) {
    return `it comes from a file for credentials (${file})`
  }
  if (root === null && !isAbsolute(file)) return undefined
  const full = resolve(root ?? "/", file)
  const inside = root === null ? undefined : within(root, full)
  if (root !== null && inside !== undefined) {
    const listed = await isListed(root, inside)
    if (listed) return `it comes from a file that ${secretsList} lists (${file})`
  }
  const folder = root !== null && inside !== undefined ? root : dirname(full)
  return (await gitIgnored.has(folder, full)) ? `it comes from a file that git ignores (${file})` : undefined
}

/** The path below the root, or undefined if it is not below. */
function within(root: string, full: string): string | undefined {
  const path = relative(root, full)
  return path === "" || path.startsWith(`..${sep}`) || path === ".." || isAbsolute(path) ? undefined : path
}

/** Whether the project's own list has the file. A list that cannot be read lists everything. */
async function isListed(root: string, path: string): Promise<boolean> {
  const list = await readWithin(root, secretsList, { mostBytes: longestList })
  if (list.outcome !== "read") return list.outcome === "refused"
  const how = { isFolder: path.endsWith(sep), ignoreCase: true }
  return isIgnored([parseIgnoreList(list.text, "", true)], path.split(sep).join("/"), how)
}
