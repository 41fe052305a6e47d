import { type ChildProcess, spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { giveToSandbox } from "../../src/coding/work/sandbox/bubblewrap.ts"
import type { SandboxResult } from "../../src/coding/work/sandbox/sandbox.ts"
import type { DriverAnswer, DriverRequest } from "./driver.ts"

export const isSandboxThere = existsSync("/usr/bin/bwrap")
const driverFile = fileURLToPath(new URL("./driver.ts", import.meta.url))

/** Nobody, on every system we test on. */
const ordinaryUser = 65_534

export type Who = "root" | "an ordinary user" | "whoever runs the tests"

/** As whom the sandbox can be tested here. */
export const everyone: readonly Who[] =
  process.getuid?.() === 0 ? ["root", "an ordinary user"] : ["whoever runs the tests"]

/** What must never be seen inside. */
export const secret = "PLANTED-SECRET-MARK"

interface RunOptions {
  timeoutMs?: number
  abortAfterMs?: number
  limits?: Partial<DriverRequest["limits"]>
}

/** A machine with things worth stealing and a sandbox to break out of. */
export interface SandboxWorld {
  base: string
  root: string
  home: string
  other: string
  reverieHome: string
  daemonSocket: string
  abstractName: string
  tcpPort: number
  udpPort: number
  /** What came through from inside. */
  contacts: string[]
  driverPid: number
  run(command: string | readonly string[], options?: RunOptions): Promise<SandboxResult>
  /** Empties the worktree. */
  clean(): Promise<void>
  killDriver(): Promise<void>
  close(): Promise<void>
}

const plainLimits = { memory_mb: 256, processes: 64, disk_mb: 64 }

/** Opens the world with everything belonging to whoever the sandbox is started by. */
export async function openSandboxWorld(who: Who): Promise<SandboxWorld> {
  const base = mkdtempSync(join(realpathSync(tmpdir()), "reverie test-"))
  const home = join(base, "home")
  const other = join(base, "other project")
  const reverieHome = join(base, "r")
  const root = join(reverieHome, "state/work/w/tree")
  const texts = {
    [join(home, ".ssh/id_ed25519")]: secret,
    [join(home, ".aws/credentials")]: secret,
    [join(home, ".bashrc")]: "# plain\n",
    [join(other, "notes.txt")]: secret,
    [join(reverieHome, "state/install.json")]: secret,
    [join(reverieHome, "data/reverie.db")]: secret,
    [join(base, "inherited.txt")]: secret,
  }
  for (const [file, text] of Object.entries(texts)) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  mkdirSync(root, { recursive: true })
  const servers = await openServers(reverieHome)
  if (who === "an ordinary user") giveAll(base)
  chmodSync(base, 0o755)
  if (who === "root") await giveToSandbox(root)
  const env = { ...process.env, HOME: home, REVERIE_HOME: reverieHome, LEAKED_VARIABLE: secret }
  const driver = await startDriver(who, env, join(base, "inherited.txt"))
  const ask = openAsking(driver)
  return {
    ...{ base, root, home, other, reverieHome, ...servers.facts },
    driverPid: driver.pid ?? 0,
    async run(command, { timeoutMs = 20_000, abortAfterMs, limits = {} } = {}) {
      const view = { root, readable: [], files: [] }
      const { result, problem } = await ask({
        ...{ view, command, timeoutMs, abortAfterMs },
        limits: { ...plainLimits, ...limits },
      })
      if (result === undefined) throw new Error(problem ?? "the driver ended")
      return result
    },
    async clean() {
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true })
    },
    async killDriver() {
      const ended = once(driver, "exit")
      driver.kill("SIGKILL")
      await ended
    },
    async close() {
      driver.kill("SIGKILL")
      servers.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

function giveAll(folder: string): void {
  chownSync(folder, ordinaryUser, ordinaryUser)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) giveAll(path)
    else chownSync(path, ordinaryUser, ordinaryUser)
  }
}

/** The driver is given an open file that it does not know of. */
async function startDriver(who: Who, env: NodeJS.ProcessEnv, inherited: string): Promise<ChildProcess> {
  const user = who === "an ordinary user" ? { uid: ordinaryUser, gid: ordinaryUser } : {}
  const script = 'exec 9<"$1"; shift; exec "$@"'
  const driver = spawn("/bin/sh", ["-c", script, "sh", inherited, process.execPath, driverFile], {
    ...{ env, ...user },
    cwd: "/",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  })
  await once(driver, "message")
  return driver
}

function openAsking(driver: ChildProcess) {
  let count = 0
  const waiting = new Map<number, (answer: DriverAnswer) => void>()
  driver.on("message", (answer: DriverAnswer) => waiting.get(answer.id)?.(answer))
  driver.on("exit", () => {
    for (const [id, done] of waiting) done({ id, problem: "the driver ended" })
  })
  return (request: Omit<DriverRequest, "id">): Promise<DriverAnswer> => {
    count += 1
    const id = count
    return new Promise((done) => {
      waiting.set(id, done)
      driver.send({ id, ...request })
    })
  }
}

async function openServers(reverieHome: string) {
  const contacts: string[] = []
  const listen = async (name: string, place: { path: string } | { port: number }): Promise<Server> => {
    const server = createServer((socket) => {
      contacts.push(name)
      socket.on("error", () => {})
      socket.end(secret)
    })
    server.listen(place)
    await once(server, "listening")
    return server
  }
  const daemonSocket = join(reverieHome, "reverie.sock")
  const abstractName = `reverie-test-${process.pid}-${Math.random().toString(36).slice(2)}`
  const tcp = await listen("tcp", { port: 0 })
  const daemon = await listen("daemon", { path: daemonSocket })
  chmodSync(daemonSocket, 0o777)
  const abstract = await listen("abstract", { path: `\0${abstractName}` })
  const udp = createSocket("udp4", () => contacts.push("udp"))
  udp.bind(0)
  await once(udp, "listening")
  const address = tcp.address()
  const tcpPort = typeof address === "object" && address !== null ? address.port : 0
  return {
    facts: { contacts, daemonSocket, abstractName, tcpPort, udpPort: udp.address().port },
    close() {
      for (const server of [tcp, daemon, abstract]) server.close()
      udp.close()
    },
  }
}

/** Puts a program into the worktree that runs as its owner, root, wherever such bits count. */
export function plantSetuid(root: string): string {
  const file = join(root, "planted-id")
  copyFileSync("/usr/bin/id", file)
  chownSync(file, 0, 0)
  chmodSync(file, 0o4755)
  return file
}

/** Processes of this machine whose command line holds a text. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text)
      } catch {
        return false
      }
    })
}
