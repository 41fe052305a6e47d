import { statSync } from "node:fs"
import { dirname, join } from "node:path"
import { realPath } from "../../../base/files/files.ts"
import { isWithin } from "../../../base/files/read-bounded.ts"
import { sandboxEnvironment } from "../../../config/environment.ts"
import type { Paths } from "../../../config/paths.ts"

/** Folders below a home where languages install programs and packages. None of them contains keys. */
const toolchains = [
  ...[
    ".nvm/versions",
    ".local/share/fnm",
    ".volta/tools",
    ".local/share/pnpm/nodejs",
    ".bun/bin",
    ".deno/bin",
  ],
  ...[".pyenv", ".rbenv", ".local/share/uv/python", ".asdf/installs", ".local/share/mise/installs"],
  ...[".rustup/toolchains", ".rustup/settings.toml", ".cargo/bin", ".cargo/registry", ".cargo/git"],
  ...["go/pkg/mod", ".sdkman/candidates", ".goenv/versions", ".jenv/versions", ".m2/repository"],
]

/** System folders with programs besides /usr. */
const systemToolchains = ["/nix/store", "/gnu/store", "/opt/homebrew", "/home/linuxbrew/.linuxbrew"]

/** Folders below a home that are never mounted, whatever the configuration says: keys, sign-ins, mail, browsers, histories. */
const privateFolders = [
  ...[".ssh", ".gnupg", ".aws", ".azure", ".config", ".docker", ".kube", ".netrc", ".npmrc", ".pypirc"],
  ...[".git-credentials", ".gitconfig", ".password-store", ".mozilla", ".thunderbird", ".claude", ".codex"],
  ...[
    ".gemini",
    ".local/share/keyrings",
    ".local/share/opencode",
    ".local/state",
    ".bash_history",
    ".zsh_history",
  ],
  ...[
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".m2/settings.xml",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
  ],
  ...["Library"],
]

/** System folders with other users' files, or with ways to reach other programs. */
const closedFolders = [
  "/",
  "/home",
  "/root",
  "/Users",
  "/etc",
  "/var",
  "/run",
  "/proc",
  "/sys",
  "/dev",
  "/tmp",
  "/boot",
]

interface ReadableRequest {
  paths: Pick<Paths, "configFile" | "dataDir" | "stateDir" | "socket" | "credentialsFile">
  /** Folders that the configuration adds. */
  extra: readonly string[]
}

/** The folders that commands may read besides the system's own and the project. */
export function readableFolders(needs: ReadableRequest): { folders: string[]; problems: string[] } {
  const { home } = sandboxEnvironment()
  const found = [...toolchains.map((name) => join(home, name)), ...systemToolchains]
    .filter(isThere)
    .filter((folder) => problemWith(folder, { ...needs, home }) === undefined)
  const node = ownNode((folder) => problemWith(folder, { ...needs, home }) === undefined)
  const problems: string[] = []
  const wanted = needs.extra.flatMap((folder) => {
    const problem = problemWith(folder, { ...needs, home })
    if (problem === undefined) return [folder]
    problems.push(problem)
    return []
  })
  return { folders: [...new Set([...found, ...node, ...wanted])], problems }
}

/** Why a folder may not be mounted; undefined if it may. */
function problemWith(
  folder: string,
  { paths, home }: ReadableRequest & { home: string },
): string | undefined {
  const real = realPath(folder)
  if (real === undefined) return `work.readable: ${folder} does not exist.`
  const own = [dirname(paths.configFile), paths.dataDir, paths.stateDir, dirname(paths.socket)]
  const secret = [...privateFolders.map((name) => join(home, name)), ...own].map(
    (one) => realPath(one) ?? one,
  )
  const touches = (one: string) => isWithin(one, real) || isWithin(real, one)
  if (isWithin(real, realPath(home) ?? home) || secret.some(touches))
    return `work.readable: ${folder} is or contains a folder with keys or with Reverie's own data; name a folder inside it.`
  if (closedFolders.includes(real) || /^\/(?:proc|sys|dev|run)\//.test(real))
    return `work.readable: ${folder} belongs to the system or to all users; name a folder inside it.`
  return undefined
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** The Node that runs Reverie: its installation folder, or only the program if that folder may not be mounted. */
function ownNode(mayBeMounted: (folder: string) => boolean): string[] {
  const program = realPath(process.execPath)
  if (program === undefined || isWithin("/usr", program)) return []
  const folder = dirname(dirname(program))
  return [/\/bin\/node$/.test(program) && mayBeMounted(folder) ? folder : program]
}
