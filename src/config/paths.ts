import { isAbsolute, join, resolve } from "node:path"
import type { Clock } from "../base/clock.ts"
import type { Random } from "../base/random.ts"
import type { Environment } from "./environment.ts"

/** The environment of a process: variables, paths, clock and randomness. */
export interface Host {
  env: Environment
  paths: Paths
  clock: Clock
  random: Random
}

/** The files and folders of one installation. */
export interface Paths {
  configFile: string
  dataDir: string
  stateDir: string
  /** The embedded database, used when no other URL is configured. */
  databaseFile: string
  snapshotDir: string
  /** Which tools are connected, with backups of their settings; created by the first connection. */
  connectionsDir: string
  /** Embedding models, one folder each, shared by all homes of the user. */
  modelsDir: string
  /** Where earlier versions stored the models of this home; they are still used. */
  legacyModelsDir: string | undefined
  logFile: string
  /** The installation's id and token; created on first use. */
  installFile: string
  /** The database files that this installation has stored memories in. */
  knownDatabasesFile: string
  /** The transcript that is being read; the file exists only meanwhile. */
  readingMarkFile: string
  /** Why the embedder failed when it was last used; the file exists only after a failure. */
  embedderNoteFile: string
  /** Sign-ins and keys of model providers. */
  credentialsFile: string
  socket: string
}

/** The maximum length of a socket's path is 107 bytes on Linux and 103 on macOS. */
const longestSocketPath = 103

/** All paths: below REVERIE_HOME if it is set, else in the XDG folders. */
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
    connectionsDir: join(dataDir, "connections"),
    modelsDir:
      env.modelsDir === undefined
        ? join(xdg(env.cacheHome, env.userHome, ".cache"), "reverie/models")
        : resolve(env.modelsDir),
    legacyModelsDir: env.modelsDir === undefined ? join(dataDir, "models") : undefined,
    logFile: join(stateDir, "reverie.log"),
    installFile: join(stateDir, "install.json"),
    knownDatabasesFile: join(stateDir, "databases.json"),
    readingMarkFile: join(stateDir, "reading.json"),
    embedderNoteFile: join(stateDir, "embedder-failure.json"),
    credentialsFile: join(dataDir, "credentials.json"),
    socket: shortEnough(join(socketDir, "reverie.sock"), env),
  }
}

/** XDG requires that relative paths in its variables are ignored. */
function xdg(value: string | undefined, userHome: string, fallback: string): string {
  return value !== undefined && isAbsolute(value) ? value : join(userHome, fallback)
}

/** A path that is too long is replaced by one in the temporary folder, named by a hash of the original. */
function shortEnough(socket: string, env: Environment): string {
  if (Buffer.byteLength(socket) <= longestSocketPath) return socket
  // Loaded on demand: it would take a fifth of a short command's time.
  const { createHash } = process.getBuiltinModule("node:crypto")
  const name = createHash("sha256").update(socket).digest("hex").slice(0, 16)
  return join(env.temporary, `reverie-${env.userId}`, `${name}.sock`)
}
