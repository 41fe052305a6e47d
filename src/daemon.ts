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
import { removeDecidedWorktree, removeOldWorktrees } from "./activities/permissions/clean-up.ts"
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
import { createExpiringCache } from "./base/expiring-cache.ts"
import { openLogFile } from "./base/files/log-file.ts"
import { openLog } from "./base/log.ts"
import { newId } from "./base/random.ts"
import { version } from "./base/version.ts"
import { createCallRecorder } from "./coding/connect/calls.ts"
import { startWatchingGit } from "./coding/git/watch-git.ts"
import { openReader } from "./coding/reading/open-reader.ts"
import { openReadingMark } from "./coding/reading/reading-mark.ts"
import { startProcess } from "./coding/reading/start-reader.ts"
import { findSandbox } from "./coding/work/sandbox/find-sandbox.ts"
import { loadInstall } from "./config/install.ts"
import { loadConfig } from "./config/load.ts"
import type { Host } from "./config/paths.ts"
import { keepLease, leaseMs, refuseSecondDaemon, startHeartbeat, takeLease } from "./daemon-lease.ts"
import { bridgeFolder, type Models } from "./llm/choice/models.ts"
import { openDatabaseOnly } from "./local.ts"
import { extractingReader } from "./memory/extract/extract-session.ts"
import { runGarden } from "./memory/garden/run-garden.ts"
import { recentRoots } from "./memory/model/project.ts"
import { createRetrievalLog, type RetrievalLog } from "./memory/topics/clusters/spans.ts"
import { openParts, type Parts } from "./parts.ts"
import { ingesting, metersFor, modelsFor, thoughtModels } from "./product.ts"
import { createSourceReader } from "./recall/choose/read-source.ts"
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

/** A running daemon; `done` settles when it has stopped for any reason. */
export interface Daemon {
  stop(): void
  done: Promise<void>
}

/** Starts the daemon: takes the lease, opens the API, starts its work. Only one can run per installation. */
export async function startDaemon(host: Host & { entry?: string }): Promise<Daemon> {
  const config = loadConfig(host.env, host.paths)
  const install = loadInstall(host.paths.installFile, host.random)
  const writeLine = openLogFile(host.paths.logFile)
  let screened = (line: string) => line
  const write = (line: string) => writeLine(screened(line))
  const log = openLog({ clock: host.clock, level: config.log.level, write })
  const parts = await openParts({ ...host, config, log })
  screened = parts.screen.redactSync
  const closers = [parts.close]
  try {
    const needs = { ...host, ...parts, config, log, install: install.id, token: install.token }
    const models = modelsFor(needs)
    const ownSessions = openOwnSessions(needs)
    const sourceReader = createSourceReader(parts.db)
    const recall = withOwnSessions(openRecall({ ...needs, models, sourceReader }), ownSessions)
    closers.push(() => recall.close())
    return await openDaemon(
      { ...needs, models, recall, ownSessions, retrievals: createRetrievalLog() },
      closers,
    )
  } catch (error) {
    for (const step of closers.reverse()) await step()
    throw error
  }
}

interface DaemonNeeds extends Host, Parts, InstallCore {
  /** The program's own file. */
  entry?: string
  /** The token that requests over TCP must send. */
  token: string
  models: Models
  recall: Recall
  ownSessions: OwnSessions
  retrievals: RetrievalLog
}

/** The readers of transcripts: a thread, and a separate process for files that crashed the reader before. */
function transcriptReaders(needs: DaemonNeeds): Pick<IngestingNeeds, "reader" | "suspectReader" | "mark"> {
  const { clock, config, db, paths } = needs
  const reading = { clock, config, ownFolder: bridgeFolder(paths), knownRoots: () => recentRoots(db) }
  return {
    reader: openReader(reading),
    suspectReader: openReader(reading, startProcess),
    mark: openReadingMark(paths.readingMarkFile),
  }
}

/** The dependencies of tending. */
function tendingNeeds(needs: DaemonNeeds): TendingNeeds {
  const { db, clock, install } = needs
  return {
    ...needs,
    garden: (pass) => runGarden(needs, gardenWorks(needs), pass),
    scout: (since, unseen) => scout(needs, since, unseen),
    excluded: () => excludedProjects(needs),
    sourceReader: createSourceReader(db),
    lastUserAt: () => lastActivity(db, install, clock.now()),
    sandbox: sandboxFinder(needs),
  }
}

function sandboxFinder({ clock, paths, config }: DaemonNeeds): TendingNeeds["sandbox"] {
  // Cached for 10 minutes, because the check starts a sandbox.
  const cache = createExpiringCache<"sandbox", ReturnType<typeof findSandbox>>(
    { clock },
    { ttlMs: 600_000, maxEntries: 1 },
  )
  return () => cache.get("sandbox", () => findSandbox({ clock, paths, work: config.work }))
}

async function openDaemon(needs: DaemonNeeds, closers: (() => Promise<void>)[]): Promise<Daemon> {
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
  // Before the lease, so that a running daemon does not lose it to one that cannot open its socket.
  await refuseSecondDaemon(needs)
  const held = { lease: await takeLease(needs, info, by) }
  closers.push(() => releaseLease(db, held.lease, { ...by, kind: "daemon.stopped" }))

  const stopping = new AbortController()
  db.onLost((error) => stopping.abort(error))
  const tending: { scheduler?: Scheduler; ending?: Ending; listening?: Listening } = {}
  const onSessionEnd = (session: string) => tending.ending?.ended(session)
  const onHookCall = createCallRecorder({ clock, paths })
  const hooked = { onSessionEnd, onHookCall }
  const key = approvalKey(needs)
  const approvals = openApprovals({
    ...needs,
    key,
    mayDecide: (who) => peopleWhoDecide(config).has(who),
    redact: needs.screen.redact,
    onDecided(request) {
      const by = { operation: newId(needs.random, "op"), actor: "api" }
      rememberDecision(needs, request, by).catch((error) =>
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
  const listeners: Listener[] = []
  closers.push(() => closeAll([listening.socket, ...listeners]))
  closers.push(mcp.close)
  if (signIn) {
    const { token } = needs
    const linkBase = config.notify.link_base
    const web = { signIn, assets: openAssets() }
    listeners.push(await serveLoopback({ app, port: config.api.port, token, linkBase, web, log, clock }))
    info.url = listeners.at(-1)?.address ?? null
    await renewLease(db, held.lease, leaseMs, info)
  }
  closers.push(startHousekeeping({ ...needs, directory: paths.snapshotDir }))
  closers.push(startEmbedding(needs))
  closers.push(startReading(needs, extractingReader(needs)))
  closers.push(startNotifications(needs, key, () => tending.listening))
  closers.push(startMetering({ ...needs, meters: metersFor(needs) }))
  const reading = startIngesting({ ...ingesting(needs), ...transcriptReaders(needs) })
  tending.ending = openEnding({ ...needs, readNow: reading.readNow })
  closers.push(tending.ending.stop, reading.stop)
  closers.push(startFeedingRecall(needs))
  closers.push(startWatchingGit(needs))
  const tend = tendingNeeds(needs)
  const toolsFor = async (request: PermissionRequest) =>
    approvedTools(tend, request, (await tend.excluded()).unseen)
  await removeOldWorktrees(needs)
  const onSettled = (request: PermissionRequest) => removeDecidedWorktree(needs, request)
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
    // Before the socket, so that a deleted home is not created again.
    if (!(await keepLease(needs, held, info, by))) return false
    if (!existsSync(paths.socket)) {
      log.warn("The socket was removed; creating it again", { socket: paths.socket })
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
  // Callers get the error from `done`; without a caller it must not crash the process.
  done.catch(() => undefined)
  return { stop: () => stopping.abort(new Error("asked to stop")), done }
}

/** Starts notifying people about waiting requests, over the configured channels. */
function startNotifications(
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
        reason: "Chat has not started.",
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
    examine: () => examineDaemon(needs, running),
    info: () => info,
    stopping: stopping.signal,
    scheduler: () => running.scheduler,
    listening: () => running.listening,
  }
  return { ...needs, version, daemon }
}

/** Runs the checks of `reverie doctor` inside the daemon. Its modules are loaded on demand. */
async function examineDaemon(needs: DaemonNeeds, running: { listening?: Listening }): Promise<Check[]> {
  const { runChecks: examine } = await import("./activities/doctor.ts")
  const { toolStates } = await import("./surfaces/cli/connected-tools.ts")
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
    readToolStates: () => toolStates({ ...needs, entry }),
  })
}

/**
 * Serves MCP as a client of the API. Its modules are loaded right after the start: before it would delay the start, and
 * later the program's files may have been replaced by an update.
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
    report: (text) => needs.log.warn(text),
  })
}

async function closeAll(listeners: Listener[]): Promise<void> {
  await Promise.all(listeners.map((listener) => listener.close()))
}
