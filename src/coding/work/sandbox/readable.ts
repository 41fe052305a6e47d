import { realpathSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { isWithin } from "../../../base/files/read-bounded.ts"
import { sandboxEnvironment } from "../../../config/environment.ts"
import type { Paths } from "../../../config/paths.ts"

/** Where languages keep their programs and packages below a home. None of these holds keys. */
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

/** Where systems keep programs besides /usr. */
const systemToolchains = ["/nix/store", "/gnu/store", "/opt/homebrew", "/home/linuxbrew/.linuxbrew"]

/** Below a home, and never shown whatever the configuration says: keys, sign-ins, mail, browsers, histories. */
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

/** Folders of the machine that hold other people's things, or ways to other programs. */
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

interface ReadableNeeds {
  paths: Pick<Paths, "configFile" | "dataDir" | "stateDir" | "socket" | "credentialsFile">
  /** What the configuration adds. */
  extra: readonly string[]
}

/** Folders that commands may read besides the system's own and the project. */
export function readableFolders(needs: ReadableNeeds): { folders: string[]; problems: string[] } {
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

/** Why a folder may not be shown, or undefined. */
function problemWith(folder: string, { paths, home }: ReadableNeeds & { home: string }): string | undefined {
  const real = realOf(folder)
  if (real === undefined) return `work.readable: ${folder} does not exist.`
  const own = [dirname(paths.configFile), paths.dataDir, paths.stateDir, dirname(paths.socket)]
  const secret = [...privateFolders.map((name) => join(home, name)), ...own].map((one) => realOf(one) ?? one)
  const touches = (one: string) => isWithin(one, real) || isWithin(real, one)
  if (isWithin(real, realOf(home) ?? home) || secret.some(touches))
    return `work.readable: ${folder} is or holds a folder of keys, or of Reverie itself; name a folder inside it.`
  if (closedFolders.includes(real) || /^\/(?:proc|sys|dev|run)\//.test(real))
    return `work.readable: ${folder} belongs to the system or to everybody; name a folder inside it.`
  return undefined
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** The Node that runs Reverie: the folder around its bin, or the program alone where that folder may not be shown. */
function ownNode(mayBeShown: (folder: string) => boolean): string[] {
  const program = realOf(process.execPath)
  if (program === undefined || isWithin("/usr", program)) return []
  const folder = dirname(dirname(program))
  return [/\/bin\/node$/.test(program) && mayBeShown(folder) ? folder : program]
}
