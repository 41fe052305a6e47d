import { existsSync } from "node:fs"
import { hostname } from "node:os"
import type { Hono } from "hono"
import type { Check } from "./activities/check.ts"
import { startEmbedding } from "./activities/embedding.ts"
import { startHousekeeping } from "./activities/housekeeping.ts"
import { isListening, type Listening, startListening } from "./activities/listen/listening.ts"
import { startMetering } from "./activities/metering.ts"
import { startNotifying } from "./activities/notifying.ts"
import { startOrganising } from "./activities/organising.ts"
import { approvedTools } from "./activities/permissions/approved-tools.ts"
import { removeSettled, removeUnwanted } from "./activities/permissions/clean-up.ts"
import { rememberDecision } from "./activities/permissions/decide.ts"
import { startRunningApproved } from "./activities/permissions/run-approved.ts"
import { type Ending, openEnding } from "./activities/read-sessions/ending.ts"
import { startFeedingRecall } from "./activities/read-sessions/feed-recall.ts"
import { type IngestingNeeds, startIngesting } from "./activities/read-sessions/ingesting.ts"
import {
  type OwnSessions,
  openOwnSessions,
  withOwnSessions,
} from "./activities/read-sessions/own-sessions.ts"
import { startResting } from "./activities/resting.ts"
import { excludedProjects } from "./activities/tend/excluded-projects.ts"
import { gardenWorks } from "./activities/tend/garden-works.ts"
import { scout } from "./activities/tend/scout/scout.ts"
import { startTending, type TendingNeeds } from "./activities/tend/start-tending.ts"
import { createApp } from "./api/app.ts"
import { createClient } from "./api/client.ts"
import type { DaemonInfo } from "./api/contract/program-answers.ts"
import type { AppNeeds } from "./api/needs.ts"
import { type Listener, serveLoopback, serveSocket } from "./api/serve.ts"
import { openAssets } from "./api/web/assets.ts"
import { openSignIn, type SignIn } from "./api/web/sign-in.ts"
import type { Scheduler } from "./attention/scheduler.ts"
import { collectGarbage } from "./base/collect-garbage.ts"
import { messageOf, UserError } from "./base/errors.ts"
import { openLogFile } from "./base/files/log-file.ts"
import { openLog } from "./base/log.ts"
import { newId } from "./base/random.ts"
import { version } from "./base/version.ts"
import { openCallNotes } from "./coding/connect/calls.ts"
import { startWatchingGit } from "./coding/git/watch-git.ts"
import { openReader } from "./coding/reading/open-reader.ts"
import { openReadingMark } from "./coding/reading/reading-mark.ts"
import { startProcess } from "./coding/reading/start-reader.ts"
import { findSandbox } from "./coding/work/sandbox/find-sandbox.ts"
import { loadInstall } from "./config/install.ts"
import { loadConfig } from "./config/load.ts"
import type { Host } from "./config/paths.ts"
import { keepLease, leaseMs, refuseSecond, startHeartbeat, takeLease } from "./daemon-lease.ts"
import { bridgeFolder, type Models } from "./llm/choice/models.ts"
import { openDatabaseOnly } from "./local.ts"
import { extractingReader } from "./memory/extract/extract-session.ts"
import { runGarden } from "./memory/garden/run-garden.ts"
import { knownRoots } from "./memory/model/project.ts"
import { createRetrievals, type Retrievals } from "./memory/topics/clusters/spans.ts"
import { openParts, type Parts } from "./parts.ts"
import { ingesting, metersFor, modelsFor, thoughtModels } from "./product.ts"
import { createDeeperLook } from "./recall/choose/read-source.ts"
import { openRecall } from "./recall/open-recall.ts"
import type { Recall } from "./recall/types.ts"
import { openNotifiers, peopleWhoDecide } from "./safety/notify/open-notifiers.ts"
import { openApprovals } from "./safety/permission/approvals.ts"
import type { PermissionRequest } from "./safety/permission/request.ts"
import { type ApprovalKey, approvalKey } from "./safety/permission/token.ts"
import { lastActivity } from "./sessions/presence.ts"
import { startReading } from "./sessions/reading.ts"
import type { InstallCore } from "./storage/core.ts"
import { releaseLease, renewLease } from "./storage/leases.ts"

/** A daemon that runs; `done` settles when it has stopped for whatever reason. */
export interface Daemon {
  stop(): void
  done: Promise<void>
}

/** Starts the daemon: takes the lease, opens the doors, begins its work. Only one can run per installation. */
export async function startDaemon(world: Host & { entry?: string }): Promise<Daemon> {
  const config = loadConfig(world.env, world.paths)
  const install = loadInstall(world.paths.installFile, world.random)
  const writeLine = openLogFile(world.paths.logFile)
  let screened = (line: string) => line
  const write = (line: string) => writeLine(screened(line))
  const log = openLog({ clock: world.clock, level: config.log.level, write })
  const parts = await openParts({ ...world, config, log })
  screened = parts.screen.redactSync
  const closers = [parts.close]
  try {
    const needs = { ...world, ...parts, config, log, install: install.id, token: install.token }
    const models = modelsFor(needs)
    const ownSessions = openOwnSessions(needs)
    const deeper = createDeeperLook(parts.db)
    const recall = withOwnSessions(openRecall({ ...needs, models, deeper }), ownSessions)
    closers.push(() => recall.close())
    return await open({ ...needs, models, recall, ownSessions, retrievals: createRetrievals() }, closers)
  } catch (error) {
    for (const step of closers.reverse()) await step()
    throw error
  }
}

interface DaemonNeeds extends Host, Parts, InstallCore {
  /** The file that was run. */
  entry?: string
  /** What requests over TCP must show. */
  token: string
  models: Models
  recall: Recall
  ownSessions: OwnSessions
  retrievals: Retrievals
}

/** How the daemon reads transcripts: in a thread of its own, suspects in a process of their own, and noting which. */
function apart(needs: DaemonNeeds): Pick<IngestingNeeds, "reader" | "suspectReader" | "mark"> {
  const { clock, config, db, paths } = needs
  const reading = { clock, config, ownFolder: bridgeFolder(paths), knownRoots: () => knownRoots(db) }
  return {
    reader: openReader(reading),
    suspectReader: openReader(reading, startProcess),
    mark: openReadingMark(paths.readingMarkFile),
  }
}

/** What tending needs: the garden's works, the senses, and when the user was last there. */
function tendingNeeds(needs: DaemonNeeds): TendingNeeds {
  const { db, clock, install } = needs
  return {
    ...needs,
    garden: (pass) => runGarden(needs, gardenWorks(needs), pass),
    scout: (since, unseen) => scout(needs, since, unseen),
    excluded: () => excludedProjects(needs),
    deeper: createDeeperLook(db),
    lastUserAt: () => lastActivity(db, install, clock.now()),
    sandbox: sandboxFinder(needs),
  }
}

/** How long it is believed whether there is a sandbox: looking starts one. */
const sandboxBelievedMs = 600_000

function sandboxFinder({ clock, paths, config }: DaemonNeeds): TendingNeeds["sandbox"] {
  let found: { at: number; sandbox: ReturnType<typeof findSandbox> } | undefined
  return () => {
    if (found === undefined || clock.now() - found.at > sandboxBelievedMs)
      found = { at: clock.now(), sandbox: findSandbox({ clock, paths, work: config.work }) }
    return found.sandbox
  }
}

async function open(needs: DaemonNeeds, closers: (() => Promise<void>)[]): Promise<Daemon> {
  const { db, clock, log, config, paths } = needs
  const info: DaemonInfo = {
    pid: process.pid,
    host: hostname(),
    version,
    startedAt: clock.now(),
    socket: paths.socket,
    url: null,
  }
  const by = { operation: newId(needs.random, "op"), actor: "daemon" }
  // Before the lease: a daemon that answers must not lose it to one that then cannot open its doors.
  await refuseSecond(needs)
  const held = { lease: await takeLease(needs, info, by) }
  closers.push(() => releaseLease(db, held.lease, { ...by, kind: "daemon.stopped" }))

  const stopping = new AbortController()
  db.onLost((error) => stopping.abort(error))
  const tending: { scheduler?: Scheduler; ending?: Ending; listening?: Listening } = {}
  const onSessionEnd = (session: string) => tending.ending?.ended(session)
  const onHookCall = openCallNotes({ clock, dataDir: paths.dataDir })
  const hooked = { onSessionEnd, onHookCall }
  const key = approvalKey(needs)
  const approvals = openApprovals({
    ...needs,
    key,
    mayDecide: (who) => peopleWhoDecide(config).has(who),
    redact: needs.screen.redact,
    onDecided(request) {
      const told = { operation: newId(needs.random, "op"), actor: "api" }
      rememberDecision(needs, request, told).catch((error) =>
        log.warn("A decision could not be remembered", { reason: messageOf(error) }),
      )
    },
  })
  const signIn = config.api.http ? openSignIn(needs) : undefined
  const app = createApp({
    ...{ ...appNeeds(needs, info, stopping, tending, signIn), ...hooked, approvals },
    thoughtModels: () => thoughtModels(needs),
  })
  const mcp = mountMcp(app, needs)
  const listening = { socket: await serveSocket({ app, socket: paths.socket, clock }) }
  const doors: Listener[] = []
  closers.push(() => closeAll([listening.socket, ...doors]))
  closers.push(mcp.close)
  if (signIn) {
    const { token } = needs
    const linkBase = config.notify.link_base
    const web = { signIn, assets: openAssets() }
    doors.push(await serveLoopback({ app, port: config.api.port, token, linkBase, web, log, clock }))
    info.url = doors.at(-1)?.address ?? null
    await renewLease(db, held.lease, leaseMs, info)
  }
  closers.push(startHousekeeping({ ...needs, directory: paths.snapshotDir }))
  closers.push(startEmbedding(needs))
  closers.push(startReading(needs, extractingReader(needs)))
  closers.push(startTelling(needs, key, () => tending.listening))
  closers.push(startMetering({ ...needs, meters: metersFor(needs) }))
  const reading = startIngesting({ ...ingesting(needs), ...apart(needs) })
  tending.ending = openEnding({ ...needs, lookNow: reading.lookNow })
  closers.push(tending.ending.stop, reading.stop)
  closers.push(startFeedingRecall(needs))
  closers.push(startWatchingGit(needs))
  const tend = tendingNeeds(needs)
  const toolsFor = async (request: PermissionRequest) =>
    approvedTools(tend, request, (await tend.excluded()).unseen)
  await removeUnwanted(needs)
  const onSettled = (request: PermissionRequest) => removeSettled(needs, request)
  closers.push(startRunningApproved({ ...needs, toolsFor, onSettled }))
  const scheduler = await startTending(tend)
  closers.push(() => scheduler.stop())
  tending.scheduler = scheduler
  if (isListening(config)) {
    const listening = await startListening({ ...needs, approvals, thoughtModels: thoughtModels(needs) })
    closers.push(listening.stop)
    tending.listening = listening
  }
  const { embedder } = needs
  if (embedder) closers.push(startOrganising({ ...needs, embedder }))
  const keep = async () => {
    // Before the socket: a home that was deleted is not made again.
    if (!(await keepLease(needs, held, info, by))) return false
    if (!existsSync(paths.socket)) {
      log.warn("The socket was removed; making it again", { socket: paths.socket })
      await listening.socket.close()
      listening.socket = await serveSocket({ app, socket: paths.socket, clock })
    }
    return true
  }
  closers.push(startResting({ ...needs, collectGarbage }))
  closers.push(startHeartbeat(needs, keep, () => stopping.abort(new Error("another daemon took over"))))
  log.info("The daemon is running", {
    pid: info.pid,
    version,
    storage: db.location,
    socket: paths.socket,
    url: info.url,
  })

  mcp.load().catch((error) => log.error("MCP cannot be served", { reason: messageOf(error) }))

  const done = new Promise<void>((resolve) => {
    if (stopping.signal.aborted) return resolve()
    stopping.signal.addEventListener("abort", () => resolve(), { once: true })
  }).then(async () => {
    const { reason } = stopping.signal
    log.info("The daemon is stopping", { reason: messageOf(reason) })
    for (const step of closers.reverse())
      await step().catch((error) => log.error("Stopping failed in part", { reason: messageOf(error) }))
    log.info("The daemon has stopped")
    if (reason instanceof UserError) throw reason
  })
  // Whoever waits for the end hears why; nobody waiting is no reason to crash.
  done.catch(() => undefined)
  return { stop: () => stopping.abort(new Error("asked to stop")), done }
}

/** Tells people what waits for them, over the channels that are set up. */
function startTelling(
  needs: DaemonNeeds,
  key: ApprovalKey,
  listening: () => Listening | undefined,
): () => Promise<void> {
  const { credentialsFile } = needs.paths
  const { notifiers, problems } = openNotifiers({
    ...needs,
    credentialsFile,
    fetch,
    platform: process.platform,
    sendInChat: async (...message) =>
      (await listening()?.tell(...message)) ?? {
        outcome: "failed",
        reason: "Chat has not begun.",
        retry: true,
      },
  })
  for (const problem of problems) needs.log.warn(problem)
  return startNotifying({ ...needs, key, notifiers: () => notifiers })
}

function appNeeds(
  needs: DaemonNeeds,
  info: DaemonInfo,
  stopping: AbortController,
  running: { scheduler?: Scheduler; listening?: Listening },
  signIn: SignIn | undefined,
): AppNeeds {
  const daemon = {
    signIn,
    examine: () => examineHere(needs, running),
    info: () => info,
    stopping: stopping.signal,
    scheduler: () => running.scheduler,
    listening: () => running.listening,
  }
  return { ...needs, version, daemon }
}

/** What `reverie doctor` looks at, from inside the daemon; its parts are loaded when somebody asks. */
async function examineHere(needs: DaemonNeeds, running: { listening?: Listening }): Promise<Check[]> {
  const { examine } = await import("./activities/doctor.ts")
  const { readToolStates } = await import("./coding/connect/tool-state.ts")
  const { connectNeeds } = await import("./surfaces/cli/connect-needs.ts")
  const { entry = process.argv[1] ?? "", paths, random } = needs
  return examine({
    ...needs,
    cwd: needs.env.userHome,
    version,
    nodeVersion: process.versions.node,
    openDatabase: () => openDatabaseOnly(needs),
    loadInstall: () => loadInstall(paths.installFile, random),
    askDaemon: async () => ({ version, pid: process.pid }),
    askChat: async () => running.listening?.status() ?? { channels: [], problems: [] },
    readToolStates: () => readToolStates(connectNeeds({ ...needs, entry })),
  })
}

/**
 * Serves MCP beside the API, as a client of it. Its parts are loaded once the daemon is up: at once would make it slower
 * to start, and later the program may have been replaced by a newer one.
 */
function mountMcp(app: Hono, needs: DaemonNeeds) {
  let opened: ReturnType<typeof openMcp> | undefined
  const load = () => {
    opened ??= openMcp(app, needs)
    return opened
  }
  app.all("/mcp", async (context) => (await load()).fetch(context.req.raw))
  return { load, close: async () => (await opened)?.close() }
}

async function openMcp(app: Hono, needs: DaemonNeeds) {
  const { openMcpHttp } = await import("./surfaces/mcp/http.ts")
  const { openCleaning } = await import("./surfaces/mcp/clean.ts")
  const inside: typeof fetch = async (input, init) => app.fetch(new Request(input, init))
  const { random } = needs
  return openMcpHttp({
    ...needs,
    use: (work, session) => work(createClient({ fetch: inside, random, actor: "mcp", session })),
    clean: openCleaning(needs),
    tell: (text) => needs.log.warn(text),
  })
}

async function closeAll(doors: Listener[]): Promise<void> {
  await Promise.all(doors.map((door) => door.close()))
}
