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
import { type Check, failure, good, warning } from "./check.ts"
import { checkEmbedding, type EmbeddingCheckNeeds } from "./check-embedding.ts"
import { checkNotify } from "./check-notify.ts"
import { type ChatConnections, checkChat } from "./listen/check-chat.ts"
import { listSnapshots, type Snapshot } from "./snapshots.ts"

interface DoctorNeeds extends EmbeddingCheckNeeds {
  cwd: string
  version: string
  nodeVersion: string
  loadInstall(): { id: string }
  /** The daemon's version and process id; null if none runs. Throws if something else answers. */
  askDaemon(): Promise<{ version: string; pid: number } | null>
  /** The state of the daemon's chat channels; null if no daemon runs. */
  askChat(): Promise<ChatConnections | null>
  /** The state of the connections to the user's coding agents. */
  readToolStates(): ToolState[]
}

const oldestNode = [22, 13]
const enoughBytes = 200_000_000

/** Checks everything an installation needs. Never throws, so it also works on a broken installation. */
export async function runChecks(needs: DoctorNeeds): Promise<Check[]> {
  const database = await checkDatabase(needs)
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
  return failure("node", `Node ${nodeVersion} is too old`, `Install Node ${oldestNode.join(".")} or newer.`)
}

function checkConfig({ paths }: DoctorNeeds): Check {
  try {
    const { config, faults } = readConfig(paths.configFile)
    const [fault] = faults
    if (fault)
      return failure("config", faultText(fault), "Correct the file; `reverie config validate` lists all.")
    const missing = problemWithRemote(config.embedding)
    if (missing) return failure("config", `${paths.configFile}: ${missing.message}`, "")
    const off = config.memory.enabled ? "" : " (memory is switched off)"
    return good(
      "config",
      (existsSync(paths.configFile) ? paths.configFile : "no file; using the defaults") + off,
    )
  } catch (error) {
    return failure("config", messageOf(error), "Make the file readable for you.")
  }
}

/** Checks the configuration of the current folder, if it has one. */
async function checkProject({ paths, cwd }: DoctorNeeds): Promise<Check> {
  if (!(await hasConfig(cwd))) return good("config.project", "this folder has none of its own")
  const { config } = readConfig(paths.configFile)
  const [fault] = (await readProjectConfig(config, cwd)).faults
  if (fault) return failure("config.project", faultText(fault), "Correct the file.")
  return good("config.project", projectConfigFile(cwd))
}

function checkInstall({ paths, loadInstall }: DoctorNeeds): Check {
  if (!existsSync(paths.installFile))
    return good("installation", "new; it gets its identity on the first start")
  try {
    loadInstall()
    return good("installation", "known")
  } catch (error) {
    return failure("installation", messageOf(error), "Remove the file, then start the daemon.")
  }
}

function checkFolders({ paths }: DoctorNeeds): Check[] {
  return [paths.dataDir, paths.stateDir].map((folder, index) => {
    const id = index === 0 ? "folder.data" : "folder.state"
    try {
      accessSync(nearestExisting(folder), constants.W_OK)
      return good(id, folder)
    } catch {
      return failure(id, `${folder} cannot be written`, "Fix its permissions, or set REVERIE_HOME.")
    }
  })
}

function nearestExisting(path: string): string {
  let current = path
  while (!existsSync(current) && dirname(current) !== current) current = dirname(current)
  return current
}

/** Files with the token or with memories must not be readable by other users. */
function checkPrivate({ paths }: DoctorNeeds): Check {
  const files = [paths.installFile, paths.databaseFile, paths.configFile, paths.credentialsFile].filter(
    (file) => existsSync(file),
  )
  const open = files.find((file) => (statSync(file).mode & 0o077) !== 0)
  if (open === undefined) return good("private", "only you can read memories and token")
  return warning("private", `${open} can be read by others`, `Run: chmod 600 '${open}'`, {
    kind: "private",
    file: open,
  })
}

/** Whether the ChatGPT sign-in can still be renewed, as far as is known. */
function checkSignIn({ paths }: DoctorNeeds): Check {
  try {
    const { chatgpt } = readCredentials(paths.credentialsFile)
    if (chatgpt === undefined) return good("sign-in", "none, and none is needed for memory")
    if (!chatgpt.needsSignIn) return good("sign-in", "ChatGPT")
    const why = chatgpt.reason ? ` (${chatgpt.reason})` : ""
    return warning("sign-in", `the ChatGPT sign-in has ended${why}`, "Run `reverie login chatgpt`.")
  } catch (error) {
    return failure("sign-in", messageOf(error), "")
  }
}

function checkDisk({ paths }: DoctorNeeds): Check {
  const { bavail, bsize } = statfsSync(nearestExisting(paths.dataDir))
  const free = bavail * bsize
  if (free >= enoughBytes) return good("disk", `${bytesText(free)} free`)
  return warning(
    "disk",
    `only ${bytesText(free)} free`,
    "Free some space; writing fails when the disk is full.",
  )
}

async function checkGit(): Promise<Check> {
  const version = await gitVersion()
  if (version !== undefined) return good("git", version)
  return warning("git", "git is not installed", "Install git, so that clones and worktrees share one memory.")
}

/** Without a sandbox, Reverie does not work on code. */
async function checkSandbox({ paths, clock }: DoctorNeeds): Promise<Check> {
  try {
    const { config } = readConfig(paths.configFile)
    if (!config.work.enabled) return good("sandbox", "not needed (work.enabled is false)")
    const found = await findSandbox({ clock, paths, work: config.work })
    if (found.outcome === "missing")
      return warning("sandbox", `no work on code, because ${found.reason}`, found.fix)
    const [problem] = found.problems
    if (problem !== undefined) return warning("sandbox", problem, "Correct the configuration.")
    return good("sandbox", found.sandbox.name)
  } catch (error) {
    return warning("sandbox", messageOf(error), "")
  }
}

async function checkDatabase(needs: DoctorNeeds): Promise<{ checks: Check[]; memories?: number }> {
  let db: Database
  try {
    db = await needs.openDatabase()
  } catch (error) {
    return { checks: [failure("database", messageOf(error), "Then run `reverie doctor` again.")] }
  }
  try {
    const facts = await db.facts()
    const problems = await db.check()
    const sound = problems.length === 0
    const checks = [
      good("database", Object.values(facts).join(", ")),
      sound
        ? good("database.integrity", "no damage found")
        : failure("database.integrity", problems.join("; "), "Restore a snapshot: `reverie snapshot list`."),
      ...(await checkTranscripts(needs, db)),
    ]
    return { checks, memories: (await countMemories(db)).active }
  } catch (error) {
    return {
      checks: [failure("database", messageOf(error), "Restore a snapshot: `reverie snapshot list`.")],
    }
  } finally {
    await db.close()
  }
}

/** Transcripts that are skipped because they crashed their reader. */
async function checkTranscripts({ paths, loadInstall }: DoctorNeeds, db: Database): Promise<Check[]> {
  if (!existsSync(paths.installFile)) return []
  const skipped = await skippedLocations(db, loadInstall().id)
  if (skipped.length === 0) return [good("transcripts", "none skipped")]
  return skipped.map(({ location, reason }) =>
    warning("transcripts", `${location} is skipped: ${reason}`, `Run: reverie sessions retry '${location}'`, {
      kind: "retry",
      place: location,
    }),
  )
}

async function checkDaemon(needs: DoctorNeeds): Promise<Check[]> {
  try {
    const daemon = await needs.askDaemon()
    if (daemon === null) return [existsSync(needs.paths.socket) ? staleSocket() : daemonNotRunning(needs)]
    if (daemon.version === needs.version) return [good("daemon", `running (pid ${daemon.pid})`)]
    const message = `the daemon is version ${daemon.version}, this is ${needs.version}`
    return [warning("daemon", message, "Run `reverie restart`.", { kind: "restart" })]
  } catch (error) {
    return [failure("daemon", messageOf(error), "Run `reverie stop --force`, then `reverie start`.")]
  }
}

/** The daemon is needed only if tools are connected. */
function daemonNotRunning({ readToolStates }: DoctorNeeds): Check {
  const asking = readToolStates().filter(({ connections }) => connections.length > 0)
  if (asking.length === 0) return good("daemon", "not running")
  const names = asking.map(({ name }) => name).join(", ")
  return warning("daemon", `not running, so ${names} get no memories`, "Run `reverie start`.", {
    kind: "start",
  })
}

function staleSocket(): Check {
  const message = "not running, but a daemon that died left its socket behind"
  return warning("daemon", message, "Run `reverie start`; it replaces the socket.", { kind: "start" })
}

async function checkSnapshots({ paths, clock }: DoctorNeeds, memories: number | undefined): Promise<Check> {
  const all = await listSnapshots(paths.snapshotDir)
  const [newest] = all
  if (newest === undefined)
    return good("snapshot", "none yet; the daemon takes one a day once there are memories")
  const lost = memories === undefined ? undefined : await checkLoss(all, memories)
  if (lost) return lost
  return good(
    "snapshot",
    `the newest is ${spanText(clock.now() - newest.at)} old (${bytesText(newest.bytes)})`,
  )
}

/** A snapshot with many more memories than the store is a sign of an unnoticed loss. */
async function checkLoss(all: readonly Snapshot[], now: number): Promise<Check | undefined> {
  for (const { name, file } of all) {
    const memories = (await memoriesIn(file)) ?? 0
    if (memories < 2 * now || memories < now + 10) continue
    const message = `the snapshot ${name} has ${count(memories, "memory", "memories")}, the store ${now}`
    const fix = `If you did not intend that, stop the daemon and run \`reverie snapshot restore ${name}\`.`
    return warning("snapshot", message, fix)
  }
  return undefined
}

/** Whether the entries in other tools' settings still point to Reverie. */
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
    const fixable = broken.map(({ tool, file, project, problem }) => {
      const where = project === null ? "" : ` --project '${project}'`
      const fix = `Run \`reverie connect ${tool}${where}\` again, or with --uninstall.`
      return warning("connections", `${file}: ${problem}`, fix, { kind: "connect", tool, project })
    })
    return [...fixable, ...advice.map((one) => warning("connections", one, ""))]
  } catch (error) {
    return [warning("connections", messageOf(error), "")]
  }
}
