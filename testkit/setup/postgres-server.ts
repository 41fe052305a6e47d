import type { ChildProcess } from "node:child_process"
import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, constants, existsSync, readdirSync } from "node:fs"
import { chown, mkdtemp, open, readFile, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { fastestFolder } from "./fastest-folder.ts"

const run = promisify(execFile)
const oldestMajor = 15
const debianServers = "/usr/lib/postgresql"
const database = "reverie_test"
const startSeconds = 60
const stopSeconds = 20
const startAttempts = 3

// Becomes the server itself. Beside it waits a watcher that reads our stdin: a line means that the
// server is gone; the end of it without one, that our process died, and then the watcher stops the
// server and removes its folder. The double fork keeps the watcher from being the server's child.
const watchedServer = `
folder=$1; shift
exec 3<&0 </dev/null
( (
  IFS= read -r line <&3 && exit
  kill -INT $$
  tries=0
  while [ -e "$folder/data/postmaster.pid" ] && [ "$tries" -lt 200 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  rm -rf "$folder"
) & )
exec 3<&-
exec "$@"
`

type User = { uid: number; gid: number }
type Spawning = { cwd: string; env: NodeJS.ProcessEnv } & Partial<User>
type Cluster = { binaries: string; folder: string; data: string; log: string; spawning: Spawning }

// Where the tests find a PostgreSQL server with pgvector, or one sentence on what is missing.
export function findPostgres(): { binaries: string } | { missing: string } {
  if (isRoot() && postgresUser() === undefined) {
    return { missing: "PostgreSQL does not run as root, and there is no user named postgres." }
  }
  const servers = candidateFolders().filter(hasServer)
  const binaries = servers.find(hasVector)
  if (binaries !== undefined) return { binaries }
  return {
    missing:
      servers.length === 0
        ? `PostgreSQL ${oldestMajor} or newer was not found.`
        : "The extension pgvector was not found for the PostgreSQL server.",
  }
}

// Starts a throwaway PostgreSQL server for the tests; it ends with this process at the latest.
export async function startPostgresServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const found = findPostgres()
  if ("missing" in found) throw new Error(found.missing)
  const cluster = await makeCluster(found.binaries)
  let server: ChildProcess | undefined
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= discard(cluster, server))
  try {
    const started = await startOnFreePort(cluster)
    server = started.server
    await createDatabase(cluster, started.port)
    // Over the socket: a round trip takes a third less than over the network's loopback.
    const host = encodeURIComponent(cluster.data)
    return { url: `postgres://postgres@127.0.0.1:${started.port}/${database}?host=${host}`, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function candidateFolders(): string[] {
  const configured = output("pg_config", ["--bindir"])
  const debian = existsSync(debianServers) ? readdirSync(debianServers) : []
  const newestFirst = debian.toSorted((a, b) => Number.parseFloat(b) - Number.parseFloat(a))
  const folders = newestFirst.map((version) => join(debianServers, version, "bin"))
  return configured === undefined ? folders : [configured, ...folders]
}

function hasServer(binaries: string): boolean {
  if (!["initdb", "postgres", "pg_config", "createdb"].every((name) => isExecutable(join(binaries, name)))) {
    return false
  }
  const version = output(join(binaries, "pg_config"), ["--version"])?.match(/\d+/)?.[0]
  return Number(version ?? 0) >= oldestMajor
}

function hasVector(binaries: string): boolean {
  const shared = output(join(binaries, "pg_config"), ["--sharedir"])
  return shared !== undefined && existsSync(join(shared, "extension", "vector.control"))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function output(command: string, args: string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return undefined
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

function postgresUser(): User | undefined {
  const uid = output("id", ["-u", "postgres"])
  const gid = output("id", ["-g", "postgres"])
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

async function makeCluster(binaries: string): Promise<Cluster> {
  const folder = await mkdtemp(join(fastestFolder(), "reverie-postgres-"))
  try {
    const user = isRoot() ? postgresUser() : undefined
    if (user !== undefined) await chown(folder, user.uid, user.gid)
    const spawning = { cwd: folder, env: cleanEnvironment(), ...user }
    const data = join(folder, "data")
    const choices = [
      "--username=postgres",
      "--auth=trust",
      "--no-sync",
      "--encoding=UTF8",
      "--locale=C.UTF-8",
      // Sorts as people do, not by bytes, as many servers: what relies on the order must say so itself.
      "--locale-provider=icu",
      "--icu-locale=en-US",
    ]
    await run(join(binaries, "initdb"), ["--pgdata", data, ...choices], spawning)
    return { binaries, folder, data, log: join(folder, "log"), spawning }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

// Without the PG* variables, which would lead the programs to another server.
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("PG"))
  return { ...Object.fromEntries(kept), LC_ALL: "C.UTF-8" }
}

async function startOnFreePort(cluster: Cluster): Promise<{ server: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    const server = await spawnServer(cluster, port)
    if (await becomesReady(server, cluster)) return { server, port }
    await stopServer(server)
    if (attempt === startAttempts) {
      throw new Error(`The PostgreSQL server did not start:\n${await readFile(cluster.log, "utf8")}`)
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1")
  await once(probe, "listening")
  const address = probe.address()
  probe.close()
  await once(probe, "close")
  if (address === null || typeof address === "string") throw new Error("No free port was found.")
  return address.port
}

// fsync is off because the tests kill only clients, never the server or the machine. The socket's
// folder is the data folder by its short name, as the length of a socket's path is limited.
async function spawnServer(cluster: Cluster, port: number): Promise<ChildProcess> {
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "unix_socket_directories=.",
    "fsync=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "autovacuum=off",
    "jit=off",
    "synchronous_commit=on",
    "max_connections=100",
  ]
  const command = [
    join(cluster.binaries, "postgres"),
    "-D",
    cluster.data,
    ...settings.flatMap((one) => ["-c", one]),
  ]
  const log = await open(cluster.log, "a")
  try {
    const server = spawn("/bin/sh", ["-c", watchedServer, "sh", cluster.folder, ...command], {
      ...cluster.spawning,
      detached: true,
      stdio: ["pipe", log.fd, log.fd],
    })
    server.on("error", () => undefined)
    server.stdin?.on("error", () => undefined)
    server.unref()
    return server
  } finally {
    await log.close()
  }
}

// The last line of the server's own pid file says whether it accepts connections.
async function becomesReady(server: ChildProcess, cluster: Cluster): Promise<boolean> {
  const deadline = Date.now() + startSeconds * 1000
  while (isRunning(server) && Date.now() < deadline) {
    const state = await readFile(join(cluster.data, "postmaster.pid"), "utf8").catch(() => "")
    if (state.trimEnd().endsWith("\nready")) return true
    await sleep(20)
  }
  return false
}

function isRunning(server: ChildProcess): boolean {
  return server.pid !== undefined && server.exitCode === null && server.signalCode === null
}

async function createDatabase(cluster: Cluster, port: number): Promise<void> {
  const target = ["--host=127.0.0.1", `--port=${port}`, "--username=postgres", "--no-password"]
  await run(join(cluster.binaries, "createdb"), [...target, database], cluster.spawning)
}

async function discard(cluster: Cluster, server: ChildProcess | undefined): Promise<void> {
  if (server !== undefined) await stopServer(server)
  await rm(cluster.folder, { recursive: true, force: true })
}

// SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one.
async function stopServer(server: ChildProcess): Promise<void> {
  if (isRunning(server)) {
    server.ref()
    const ended = once(server, "exit")
    server.kill("SIGINT")
    const impatience = setTimeout(() => server.kill("SIGQUIT"), stopSeconds * 1000)
    await ended
    clearTimeout(impatience)
  }
  server.stdin?.end("stopped\n")
}
