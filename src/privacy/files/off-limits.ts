import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { createExpiringCache } from "../../base/expiring-cache.ts"
import { isWithin, readWithin } from "../../base/files/read-bounded.ts"
import { holdsEnvironment } from "./env-files.ts"
import { type GitIgnored, openGitIgnored } from "./git-ignored.ts"
import { isIgnored, parseIgnoreList } from "./ignore-rules.ts"

/** Decides which files nothing may be remembered from. */
export interface OffLimits {
  /** Why one of these files is off limits, such as "it comes from …"; undefined if none is. */
  reasonFor(root: string | null, files: readonly string[]): Promise<string | undefined>
}

const longestListBytes = 262_144
/** The longest path that Linux accepts. */
const longestPath = 4096
const secretsList = ".secretsignore"

/** Names and paths of files that hold credentials only. They are off limits even if git tracks them. */
const credentialFiles =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|\.vault-token|.+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|age))$/i
const credentialPaths =
  /(?:^|\/)(?:\.ssh\/(?!config$|known_hosts)[^/]+|\.aws\/credentials|\.gnupg\/.+|\.kube\/config|\.docker\/config\.json)$/i

/** Opens the check. Answers are cached for 10 seconds. */
export function openOffLimits(needs: { clock: Clock }): OffLimits {
  const gitIgnored = openGitIgnored(needs)
  const cache = createExpiringCache<string, Promise<string | undefined>>(needs, {
    ttlMs: 10_000,
    maxEntries: 10_000,
  })
  return {
    async reasonFor(root, files) {
      for (const file of new Set(files)) {
        const reason = await cache.get(`${root ?? ""}\0${file}`, () => findReason(gitIgnored, root, file))
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
  const isInside = root !== null && full !== root && isWithin(root, full)
  if (isInside && (await isListed(root, relative(root, full))))
    return `it comes from a file that ${secretsList} lists (${file})`
  const folder = isInside ? root : dirname(full)
  return (await gitIgnored.has(folder, full)) ? `it comes from a file that git ignores (${file})` : undefined
}

/** Whether the project's .secretsignore lists the file. A list that cannot be read lists everything. */
async function isListed(root: string, path: string): Promise<boolean> {
  const list = await readWithin(root, secretsList, { mostBytes: longestListBytes })
  if (list.outcome !== "read") return list.outcome === "refused"
  const how = { isFolder: path.endsWith(sep), ignoreCase: true }
  return isIgnored([parseIgnoreList(list.text, "", true)], path.split(sep).join("/"), how)
}
