import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { messageOf } from "../base/errors.ts"
import { bytesText, count, isAtLeast, spanText } from "../base/text/text.ts"
import type { ToolState } from "../coding/connect/tool-state.ts"
import { skippedLocations } from "../coding/sessions/skipped-locations.ts"
import { findSandbox } from "../coding/work/sandbox/find-sandbox.ts"
import { faultText, projectConfigFile, readConfig, readProjectConfig } from "../config/load.ts"
import { problemWithRemote } from "../config/remote-embedder.ts"
import { gitVersion } from "../git/run-git.ts"
import { readCredentials } from "../llm/signin/credentials.ts"
import { hasConfig } from "../memory/model/project.ts"
import { countMemories } from "../memory/model/store/browse.ts"
import { memoriesIn } from "../memory/transfer/snapshot-count.ts"
import type { Database } from "../storage/database.ts"
import { bad, type Check, good } from "./check.ts"
import { checkEmbedding, type EmbeddingCheckNeeds } from "./check-embedding.ts"
import { checkNotify } from "./check-notify.ts"
import { type ChatStanding, checkChat } from "./listen/check-chat.ts"
import { listSnapshots, type Snapshot } from "./snapshots.ts"

interface DoctorNeeds extends EmbeddingCheckNeeds {
  cwd: string
  version: string
  nodeVersion: string
  loadInstall(): { id: string }
  /** What the daemon says of itself, null if none runs; throws if something is there that does not answer. */
  askDaemon(): Promise<{ version: string; pid: number } | null>
  /** How the daemon's chat channels stand; null if no daemon runs. */
  askChat(): Promise<ChatStanding | null>
  /** How the user's coding agents stand. */
  readToolStates(): ToolState[]
}

const oldestNode = [22, 13]
const enoughBytes = 200_000_000

/** Looks at everything an installation needs; never throws, so that it also works when all else is broken. */
export async function examine(needs: DoctorNeeds): Promise<Check[]> {
  const database = await examineDatabase(needs)
  return [
    checkNode(needs),
    checkConfig(needs),
    await checkProject(needs),
    checkInstall(needs),
    ...checkFolders(needs),
    checkPrivate(needs),
    checkDisk(needs),
    await checkGit(),
    await checkSandbox(needs),
    await checkEmbedding(needs),
    checkSignIn(needs),
    ...(await checkNotify(needs)),
    ...database.checks,
    ...(await checkDaemon(needs)),
    ...(await checkChat(needs)),
    await checkSnapshots(needs, database.memories),
    ...checkConnections(needs),
  ]
}

function checkNode({ nodeVersion }: DoctorNeeds): Check {
  if (isAtLeast(nodeVersion, oldestNode)) return good("node", `Node ${nodeVersion}`)
  return bad(
    "node",
    "error",
    `Node ${nodeVersion} is too old`,
    `Install Node ${oldestNode.join(".")} or newer.`,
  )
}

function checkConfig({ paths }: DoctorNeeds): Check {
  try {
    const { config, faults } = readConfig(paths.configFile)
    const [fault] = faults
    if (fault)
      return bad(
        "config",
        "error",
        faultText(fault),
        "Correct the file; `reverie config validate` lists all.",
      )
    const missing = problemWithRemote(config.embedding)
    if (missing) return bad("config", "error", `${paths.configFile}: ${missing.message}`, "")
    const off = config.memory.enabled ? "" : " (memory is switched off)"
    return good(
      "config",
      (existsSync(paths.configFile) ? paths.configFile : "no file; using the defaults") + off,
    )
  } catch (error) {
    return bad("config", "error", messageOf(error), "Make the file readable for you.")
  }
}

/** The configuration of the folder one is in, if it has one. */
async function checkProject({ paths, cwd }: DoctorNeeds): Promise<Check> {
  if (!(await hasConfig(cwd))) return good("config.project", "this folder has none of its own")
  const { config } = readConfig(paths.configFile)
  const [fault] = (await readProjectConfig(config, cwd)).faults
  if (fault) return bad("config.project", "error", faultText(fault), "Correct the file.")
  return good("config.project", projectConfigFile(cwd))
}

function checkInstall({ paths, loadInstall }: DoctorNeeds): Check {
  if (!existsSync(paths.installFile))
    return good("installation", "new; it gets its identity on the first start")
  try {
    loadInstall()
    return good("installation", "known")
  } catch (error) {
    return bad("installation", "error", messageOf(error), "Remove the file, then start the daemon.")
  }
}

function checkFolders({ paths }: DoctorNeeds): Check[] {
  return [paths.dataDir, paths.stateDir].map((folder, index) => {
    const id = index === 0 ? "folder.data" : "folder.state"
    try {
      accessSync(nearestExisting(folder), constants.W_OK)
      return good(id, folder)
    } catch {
      return bad(id, "error", `${folder} cannot be written`, "Fix its permissions, or set REVERIE_HOME.")
    }
  })
}

function nearestExisting(path: string): string {
  let current = path
  while (!existsSync(current) && dirname(current) !== current) current = dirname(current)
  return current
}

/** Files with the token or with memories must not be readable by others. */
function checkPrivate({ paths }: DoctorNeeds): Check {
  const files = [paths.installFile, paths.databaseFile, paths.configFile, paths.credentialsFile].filter(
    (file) => existsSync(file),
  )
  const open = files.find((file) => (statSync(file).mode & 0o077) !== 0)
  if (open === undefined) return good("private", "only you can read memories and token")
  return bad("private", "warning", `${open} can be read by others`, `Run: chmod 600 '${open}'`, {
    kind: "private",
    file: open,
  })
}

/** Whether what is signed in can still be renewed, as far as was noticed. */
function checkSignIn({ paths }: DoctorNeeds): Check {
  try {
    const { chatgpt } = readCredentials(paths.credentialsFile)
    if (chatgpt === undefined) return good("sign-in", "none, and none is needed for memory")
    if (!chatgpt.needsSignIn) return good("sign-in", "ChatGPT")
    const why = chatgpt.reason ? ` (${chatgpt.reason})` : ""
    return bad("sign-in", "warning", `the ChatGPT sign-in has ended${why}`, "Run `reverie login chatgpt`.")
  } catch (error) {
    return bad("sign-in", "error", messageOf(error), "")
  }
}

function checkDisk({ paths }: DoctorNeeds): Check {
  const { bavail, bsize } = statfsSync(nearestExisting(paths.dataDir))
  const free = bavail * bsize
  if (free >= enoughBytes) return good("disk", `${bytesText(free)} free`)
  return bad(
    "disk",
    "warning",
    `only ${bytesText(free)} free`,
    "Free some space; writing fails when the disk is full.",
  )
}

async function checkGit(): Promise<Check> {
  const version = await gitVersion()
  if (version !== undefined) return good("git", version)
  return bad(
    "git",
    "warning",
    "git is not installed",
    "Install git, so that clones and worktrees share one memory.",
  )
}

/** Without a sandbox no code is worked on; everything else goes on. */
async function checkSandbox({ paths, clock }: DoctorNeeds): Promise<Check> {
  try {
    const { config } = readConfig(paths.configFile)
    if (!config.work.enabled) return good("sandbox", "not needed (work.enabled is false)")
    const found = await findSandbox({ clock, paths, work: config.work })
    if (found.outcome === "missing")
      return bad("sandbox", "warning", `no work on code, because ${found.reason}`, found.fix)
    const [problem] = found.problems
    if (problem !== undefined) return bad("sandbox", "warning", problem, "Correct the configuration.")
    return good("sandbox", found.sandbox.name)
  } catch (error) {
    return bad("sandbox", "warning", messageOf(error), "")
  }
}

async function examineDatabase(needs: DoctorNeeds): Promise<{ checks: Check[]; memories?: number }> {
  let db: Database
  try {
    db = await needs.openDatabase()
  } catch (error) {
    return { checks: [bad("database", "error", messageOf(error), "Then run `reverie doctor` again.")] }
  }
  try {
    const facts = await db.facts()
    const problems = await db.check()
    const sound = problems.length === 0
    const checks = [
      good("database", Object.values(facts).join(", ")),
      sound
        ? good("database.integrity", "no damage found")
        : bad(
            "database.integrity",
            "error",
            problems.join("; "),
            "Put a snapshot back: `reverie snapshot list`.",
          ),
      ...(await checkTranscripts(needs, db)),
    ]
    return { checks, memories: (await countMemories(db)).active }
  } catch (error) {
    return {
      checks: [bad("database", "error", messageOf(error), "Put a snapshot back: `reverie snapshot list`.")],
    }
  } finally {
    await db.close()
  }
}

/** Transcripts that ended whoever read them. */
async function checkTranscripts({ paths, loadInstall }: DoctorNeeds, db: Database): Promise<Check[]> {
  if (!existsSync(paths.installFile)) return []
  const skipped = await skippedLocations(db, loadInstall().id)
  if (skipped.length === 0) return [good("transcripts", "none skipped")]
  return skipped.map(({ location, reason }) =>
    bad(
      "transcripts",
      "warning",
      `${location} is skipped: ${reason}`,
      `Run: reverie sessions retry '${location}'`,
      {
        kind: "retry",
        place: location,
      },
    ),
  )
}

async function checkDaemon(needs: DoctorNeeds): Promise<Check[]> {
  try {
    const daemon = await needs.askDaemon()
    if (daemon === null) return [existsSync(needs.paths.socket) ? leftover() : missed(needs)]
    if (daemon.version === needs.version) return [good("daemon", `running (pid ${daemon.pid})`)]
    const message = `the daemon is version ${daemon.version}, this is ${needs.version}`
    return [bad("daemon", "warning", message, "Run `reverie restart`.", { kind: "restart" })]
  } catch (error) {
    return [bad("daemon", "error", messageOf(error), "Run `reverie stop --force`, then `reverie start`.")]
  }
}

/** Tools that are connected ask it; without them it may rest. */
function missed({ readToolStates }: DoctorNeeds): Check {
  const asking = readToolStates().filter(({ connections }) => connections.length > 0)
  if (asking.length === 0) return good("daemon", "not running")
  const names = asking.map(({ name }) => name).join(", ")
  return bad("daemon", "warning", `not running, so ${names} get no memories`, "Run `reverie start`.", {
    kind: "start",
  })
}

function leftover(): Check {
  const message = "not running, but a daemon that died left its socket behind"
  return bad("daemon", "warning", message, "Run `reverie start`; it replaces the socket.", { kind: "start" })
}

async function checkSnapshots({ paths, clock }: DoctorNeeds, memories: number | undefined): Promise<Check> {
  const all = await listSnapshots(paths.snapshotDir)
  const [newest] = all
  if (newest === undefined)
    return good("snapshot", "none yet; the daemon takes one a day once there are memories")
  const lost = memories === undefined ? undefined : await muchLarger(all, memories)
  if (lost) return lost
  return good(
    "snapshot",
    `the newest is ${spanText(clock.now() - newest.at)} old (${bytesText(newest.bytes)})`,
  )
}

/** A snapshot that holds much more than the store is a sign of a loss that nobody noticed. */
async function muchLarger(all: readonly Snapshot[], now: number): Promise<Check | undefined> {
  for (const { name, file } of all) {
    const memories = (await memoriesIn(file)) ?? 0
    if (memories < 2 * now || memories < now + 10) continue
    const told = `the snapshot ${name} holds ${count(memories, "memory", "memories")}, the store ${now}`
    const fix = `If you did not mean that, stop the daemon and run \`reverie snapshot restore ${name}\`.`
    return bad("snapshot", "warning", told, fix)
  }
  return undefined
}

/** Whether what stands in other tools' settings still leads to us. */
function checkConnections({ readToolStates }: DoctorNeeds): Check[] {
  try {
    const connected = readToolStates().filter(({ connections }) => connections.length > 0)
    if (connected.length === 0) return [good("connections", "none; `reverie connect` makes them")]
    const broken = connected.flatMap(({ tool, connections }) =>
      connections.filter(({ problem }) => problem !== null).map((connection) => ({ tool, ...connection })),
    )
    const advice = connected.flatMap((tool) => tool.advice)
    if (broken.length + advice.length === 0)
      return [good("connections", connected.map(({ tool }) => tool).join(", "))]
    const mending = broken.map(({ tool, file, project, problem }) => {
      const where = project === null ? "" : ` --project '${project}'`
      const fix = `Run \`reverie connect ${tool}${where}\` again, or with --uninstall.`
      return bad("connections", "warning", `${file}: ${problem}`, fix, { kind: "connect", tool, project })
    })
    return [...mending, ...advice.map((one) => bad("connections", "warning", one, ""))]
  } catch (error) {
    return [bad("connections", "warning", messageOf(error), "")]
  }
}
