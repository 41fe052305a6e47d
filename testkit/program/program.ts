import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { type Client, createClient } from "../../src/api/client.ts"
import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import { socketFetch } from "../../src/api/socket-fetch.ts"
import { systemRandom } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { type OnEnd, throwawayFolder, withoutEmbedder } from "./home.ts"
import { runInProcess, startDaemonInProcess } from "./in-process.ts"

/** The program as it is called here. */
const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

/** The same as hints name it, for a shell. */
export const programInHints = /^[\w./~-]+$/.test(program) ? program : `'${program}'`

/** How a command ended. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** One throwaway installation of the real program, run as its users run it. */
export interface Installation {
  home: string
  paths: ReturnType<typeof pathsFor>
  /** Runs `reverie …` to its end: in this process, unless the command or the installation needs one of its own. */
  run(...args: string[]): Promise<Ended>
  /** Runs `reverie …` to its end in a process of its own: for what is about processes, files opened and exit codes. */
  spawn(...args: string[]): Promise<Ended>
  /** Runs `reverie … --json` and parses what it says. */
  json<T = Record<string, unknown>>(...args: string[]): Promise<T>
  /** Starts a command and leaves it running; it is killed after the test. */
  start(...args: string[]): ChildProcess
  /** Starts the daemon in the foreground and waits until it answers. */
  daemon(): Promise<RunningDaemon>
  /** Starts the daemon in this process, for tests that are about what it does and not about its process. */
  daemonHere(): Promise<DaemonHere>
}

interface DaemonHere extends Pick<RunningDaemon, "client" | "entry"> {
  /** Settles when it has stopped. */
  stop(): Promise<void>
}

interface RunningDaemon {
  process: ChildProcess
  client: Client
  /** Settles when the process has ended, with its exit code. */
  ended: Promise<number | null>
  /** The next journal entry of this kind, from the beginning of the journal. */
  entry(kind: string): Promise<EntryJson>
}

interface InstallationOptions {
  /** REVERIE_DATABASE_URL. */
  databaseUrl?: string
  home?: string
  cwd?: string
  /** More variables of the environment. */
  env?: Record<string, string>
  /** Where programs are looked for, by this whole process until the end: its commands need none of their own for it. */
  path?: string
  /** The program and its first arguments, instead of ./bin/reverie. */
  command?: string[]
  /** Each command is a process of its own. */
  spawned?: boolean
  /** Takes what has to be done afterwards, for an installation that several tests share. */
  onEnd?: OnEnd
}

/** Makes an installation in a folder of its own. */
export function createInstallation(options: InstallationOptions = {}): Installation {
  const onEnd = options.onEnd ?? onTestFinished
  const home = options.home ?? throwawayFolder(onEnd)
  if (options.path !== undefined) lookForProgramsIn(options.path, onEnd)
  const environment = {
    ...process.env,
    ...options.env,
    REVERIE_HOME: home,
    REVERIE_DATABASE_URL: options.databaseUrl ?? "",
  }
  const paths = pathsFor(readEnvironment(environment))
  const [command = program, ...first] = options.command ?? []
  const start = (...args: string[]) => {
    const child = spawn(command, [...first, ...args], {
      cwd: options.cwd ?? home,
      env: environment,
      stdio: ["pipe", "pipe", "pipe"],
    })
    onEnd(() => void child.kill("SIGKILL"))
    return child
  }
  const spawnOne = (...args: string[]) => {
    const child = start(...args)
    child.stdin?.end()
    return ending(child)
  }
  const needsProcess =
    (options.spawned ?? false) || options.command !== undefined || changesProcess(options.env)
  const cwd = options.cwd ?? home
  const variables = { ...environment, REVERIE_COMMAND: program }
  let isHere = false
  const run = (...args: string[]) => {
    const [name = ""] = args
    if (isHere && endsDaemon.has(name)) throw new Error(`${name} would end the test's own process`)
    return needsProcess || needsOwnProcess(args) ? spawnOne(...args) : runInProcess({ args, variables, cwd })
  }
  return {
    home,
    paths,
    run,
    spawn: spawnOne,
    start,
    async json<T>(...args: string[]) {
      const { stdout, stderr } = await run(...args, "--json")
      try {
        return JSON.parse(stdout) as T
      } catch {
        throw new Error(`reverie ${args.join(" ")} did not answer in JSON: ${stdout}${stderr}`)
      }
    },
    daemon: () => startDaemon(start, paths.socket),
    async daemonHere() {
      const { stop, done } = await startDaemonInProcess(variables)
      isHere = true
      const end = async () => {
        stop()
        await done
        isHere = false
      }
      onTestFinished(end)
      const client = clientAt(paths.socket)
      return { client, entry: (kind) => waitForEntry(client, kind), stop: end }
    },
  }
}

function clientAt(socket: string): Client {
  return createClient({ fetch: socketFetch(socket), random: systemRandom, actor: "test" })
}

/** Has this process look for programs in these folders, until it is put back. */
function lookForProgramsIn(path: string, onEnd: OnEnd): void {
  const usual = process.env.PATH
  process.env.PATH = path
  onEnd(() => {
    process.env.PATH = usual
  })
}

/** Commands that start a daemon or heed signals. */
const ownProcess = new Set(["start", "restart", "mcp", "hook"])

function needsOwnProcess([name = "", ...rest]: readonly string[]): boolean {
  // A sign-in opens the browser and heeds Ctrl-C; a key is asked for at a terminal. The list and the check do neither.
  if (name === "login") return rest.some((word) => /^\w/.test(word)) && !rest.includes("--check")
  // What it mends may be that no daemon runs.
  if (name === "doctor") return rest.includes("--fix")
  return ownProcess.has(name)
}

/** Commands that signal the daemon's process. */
const endsDaemon = new Set(["stop", "restart"])

/** Whether variables are among them that git, Node or the system's programs read for themselves. */
function changesProcess(env: Record<string, string> = {}): boolean {
  return Object.keys(env).some((name) => /^(?:PATH|TMPDIR|NODE_.*|GIT_.*|LD_.*|TZ|LANG|LC_.*)$/.test(name))
}

/** An installation that works by words alone, and so starts quickly: for tests that are about something else. */
export function createPlainInstallation(options: InstallationOptions = {}): Installation {
  const home = options.home ?? throwawayFolder(options.onEnd)
  withoutEmbedder(home)
  return createInstallation({ ...options, home })
}

/** Collects what a process says until it ends. */
export function ending(child: ChildProcess): Promise<Ended> {
  let stdout = ""
  let stderr = ""
  child.stdout?.on("data", (chunk) => {
    stdout += chunk
  })
  child.stderr?.on("data", (chunk) => {
    stderr += chunk
  })
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
}

async function startDaemon(start: Installation["start"], socket: string): Promise<RunningDaemon> {
  const child = start("start", "--foreground")
  const done = ending(child)
  await readyOrEnded(child, done)
  const client = clientAt(socket)
  return {
    process: child,
    client,
    ended: done.then(({ code }) => code),
    entry: (kind) => waitForEntry(client, kind),
  }
}

function readyOrEnded(child: ChildProcess, done: Promise<Ended>): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stderr?.on("data", (chunk) => {
      if (String(chunk).includes("Ctrl-C")) resolve()
    })
    done.then(({ stderr }) => reject(new Error(`the daemon ended: ${stderr}`)), reject)
  })
}

/** Waits for a journal entry of this kind; never for time. */
export async function waitForEntry(client: Client, kind: string): Promise<EntryJson> {
  const found = new AbortController()
  try {
    for await (const entry of client.follow({ after: 0 }, found.signal)) {
      if (entry.kind === kind) return entry
    }
  } finally {
    found.abort()
  }
  throw new Error(`the journal ended without ${kind}`)
}
