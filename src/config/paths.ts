import { isAbsolute, join, resolve } from "node:path"
import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { Environment } from "./environment.ts"

/** What a process has of the machine it runs on. */
export interface Host {
  env: Environment
  paths: Paths
  clock: Clock
  random: Random
}

/** Where everything of one installation lives. */
export interface Paths {
  configFile: string
  dataDir: string
  stateDir: string
  /** The embedded database, used when no other URL is configured. */
  databaseFile: string
  snapshotDir: string
  /** Embedding models, each in a folder of its own: one for all homes of the user. */
  modelsDir: string
  /** Where this home alone kept its models before; what is there is used. */
  ownModelsDir: string | undefined
  logFile: string
  /** Who this installation is, and its token; made on first use. */
  installFile: string
  /** Which database files this installation has kept a memory in. */
  keptFile: string
  /** Which transcript is being read; not there while none is. */
  readingMarkFile: string
  /** Why the embedder failed when it was last used; not there while it works. */
  embedderNoteFile: string
  /** Sign-ins and keys of model providers. */
  credentialsFile: string
  socket: string
}

/** A Unix socket's path may have at most 107 bytes on Linux and 103 on macOS. */
const longestSocketPath = 103

/** Finds the paths: all below REVERIE_HOME if that is set, else the XDG folders. */
export function pathsFor(env: Environment): Paths {
  const home = env.home === undefined ? undefined : resolve(env.home)
  const configDir = home ?? join(xdg(env.configHome, env.userHome, ".config"), "reverie")
  const dataDir = home ? join(home, "data") : join(xdg(env.dataHome, env.userHome, ".local/share"), "reverie")
  const stateDir = home
    ? join(home, "state")
    : join(xdg(env.stateHome, env.userHome, ".local/state"), "reverie")
  const socketDir = home ?? (env.runtimeDir ? join(env.runtimeDir, "reverie") : stateDir)
  return {
    configFile: join(configDir, "config.toml"),
    dataDir,
    stateDir,
    databaseFile: join(dataDir, "reverie.db"),
    snapshotDir: join(dataDir, "snapshots"),
    modelsDir:
      env.modelsDir === undefined
        ? join(xdg(env.cacheHome, env.userHome, ".cache"), "reverie/models")
        : resolve(env.modelsDir),
    ownModelsDir: env.modelsDir === undefined ? join(dataDir, "models") : undefined,
    logFile: join(stateDir, "reverie.log"),
    installFile: join(stateDir, "install.json"),
    keptFile: join(stateDir, "databases.json"),
    readingMarkFile: join(stateDir, "reading.json"),
    embedderNoteFile: join(stateDir, "embedder-failure.json"),
    credentialsFile: join(dataDir, "credentials.json"),
    socket: shortEnough(join(socketDir, "reverie.sock"), env),
  }
}

/** The XDG rule: a relative path in such a variable is to be ignored. */
function xdg(value: string | undefined, userHome: string, fallback: string): string {
  return value !== undefined && isAbsolute(value) ? value : join(userHome, fallback)
}

/** A deep home gets its socket in the temporary folder instead, under a name derived from the wanted path. */
function shortEnough(socket: string, env: Environment): string {
  if (Buffer.byteLength(socket) <= longestSocketPath) return socket
  // Loaded only here: it takes a fifth of a quick command's time.
  const { createHash } = process.getBuiltinModule("node:crypto")
  const name = createHash("sha256").update(socket).digest("hex").slice(0, 16)
  return join(env.temporary, `reverie-${env.userId}`, `${name}.sock`)
}
