import { fork, spawnSync } from "node:child_process"
import { openSync } from "node:fs"
import { hostname } from "node:os"
import { dirname } from "node:path"
import { type Command, Option } from "commander"
import { createClient } from "../../../../api/client.ts"
import { isDaemonUp, socketFetch } from "../../../../api/socket-fetch.ts"
import { sleep } from "../../../../base/clock.ts"
import { exitCodes, messageOf, UserError } from "../../../../base/errors.ts"
import { makePrivateFolder } from "../../../../base/files/files.ts"
import { appendFlags } from "../../../../base/files/log-file.ts"
import { isAlive } from "../../../../base/processes.ts"
import { restartService } from "../../../service/systemd-launchd.ts"
import { withClient } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { greet, nextSteps, showStatus } from "./status.ts"

/** What a daemon in the background reports to the process that started it. */
type Report = { ready: true } | { ready: false; message: string }

/** How long a stop may take before it counts as failed. */
const stopPatienceMs = 15_000

/** `reverie start|stop|restart` */
export function daemonCommands(program: Command, needs: CliNeeds): void {
  program
    .command("start")
    .description("start the daemon in the background")
    .option("--foreground", "stay in this terminal until Ctrl-C")
    .addOption(new Option("--quiet", "print nothing; for services").hideHelp())
    .action(({ foreground, quiet = false }: { foreground?: boolean; quiet?: boolean }) =>
      foreground ? runForeground(needs, quiet) : start(needs),
    )
  program
    .command("stop")
    .description("stop the daemon")
    .option("--force", "kill it if it does not stop by itself")
    .action((options: { force?: boolean }) => stop(needs, options.force ?? false))
  program
    .command("restart")
    .description("stop the daemon if it runs, and start it")
    .action(async () => {
      // A service restarts through its service manager.
      if (restartService(needs)) return needs.output.say("The service was restarted.")
      if ((await daemonPid(needs)) !== undefined) await stop(needs, false)
      await start(needs)
    })
}

/** Starts the daemon if none runs, and prints nothing. */
export async function startQuietly(needs: CliNeeds): Promise<void> {
  if ((await runningPid(needs)) === undefined) await spawnDaemon(needs)
}

/** Stops the daemon if one runs, starts it, and prints nothing. A service restarts through its service manager. */
export async function restartQuietly(needs: CliNeeds): Promise<void> {
  if (restartService(needs)) return
  const pid = await daemonPid(needs)
  if (pid !== undefined) await terminate(needs, pid)
  await spawnDaemon(needs)
}

async function terminate(needs: CliNeeds, pid: number): Promise<void> {
  process.kill(pid, "SIGTERM")
  if (await isGoneWithin(needs, pid, stopPatienceMs)) return
  throw new UserError("failed", `The daemon (pid ${pid}) does not stop; \`reverie stop --force\` kills it.`)
}

async function start(needs: CliNeeds): Promise<void> {
  const pid = await runningPid(needs)
  if (pid !== undefined) return needs.output.say(`The daemon is already running (pid ${pid}).`)
  await spawnDaemon(needs)
  await greet(needs, false)
}

function openLog(file: string): number {
  try {
    return openSync(file, appendFlags, 0o600)
  } catch (error) {
    throw new UserError("failed", `The log ${file} cannot be written (${messageOf(error)}); remove it.`, {
      cause: error,
    })
  }
}

/** Starts a detached daemon and waits until it reports that it is ready, or why it is not. */
async function spawnDaemon(needs: CliNeeds): Promise<void> {
  makePrivateFolder(dirname(needs.paths.logFile))
  const log = openLog(needs.paths.logFile)
  const child = fork(needs.entry, ["start", "--foreground"], {
    detached: true,
    stdio: ["ignore", log, log, "ipc"],
  })
  const report = await new Promise<Report>((resolve) => {
    child.once("message", (message) => resolve(message as Report))
    child.once("error", (error) => resolve({ ready: false, message: messageOf(error) }))
    child.once("exit", (code) =>
      resolve({ ready: false, message: `The daemon ended at once (${code}); \`reverie logs\` says more.` }),
    )
  })
  if (child.connected) child.disconnect()
  child.unref()
  if (!report.ready) throw new UserError("failed", report.message)
}

/** Runs the daemon in this process until Ctrl-C, SIGTERM or a stop request. */
async function runForeground(needs: CliNeeds, quiet: boolean): Promise<void> {
  const report = (message: Report) => process.connected && process.send?.(message)
  try {
    const daemon = await needs.startDaemon()
    const inBackground = quiet || process.send !== undefined
    const stopOnce = () => {
      process.on("SIGINT", () => process.exit(exitCodes.interrupted))
      if (!inBackground) needs.output.say("\nStopping …")
      daemon.stop()
    }
    process.once("SIGINT", stopOnce)
    process.once("SIGTERM", stopOnce)
    if (inBackground) report({ ready: true })
    else await showForegroundStatus(needs)
    await daemon.done
    if (!inBackground) needs.output.say("Stopped.")
  } catch (error) {
    report({ ready: false, message: messageOf(error) })
    throw error
  }
}

async function showForegroundStatus(needs: CliNeeds): Promise<void> {
  await withClient(needs, async (client) => {
    const status = await client.status()
    showStatus(needs, status)
    const steps = nextSteps(status, needs.env.command).replace("Next, add", "Next, in another terminal, add")
    const dashboard = await client.webLink().catch(() => undefined)
    const link = dashboard ? `\n\nThe dashboard, with a link that works once:\n  ${dashboard.url}` : ""
    needs.output.say(`\n${steps}${link}\n\nStop it with Ctrl-C.`)
  })
}

async function stop(needs: CliNeeds, force: boolean): Promise<void> {
  const pid = await daemonPid(needs)
  if (pid === undefined)
    throw new UserError("not-running", "The daemon is not running; there is nothing to stop.")
  if (force) process.kill(pid, "SIGTERM")
  else await terminate(needs, pid)
  if (await isGoneWithin(needs, pid, 5000)) return needs.output.say("Stopped.")
  process.kill(pid, "SIGKILL")
  await isGoneWithin(needs, pid, 5000)
  needs.output.say("Killed. Everything it had confirmed is saved.")
}

/** The daemon's process id, or undefined if none runs. The id of one that does not answer comes from its lease. */
async function daemonPid(needs: CliNeeds): Promise<number | undefined> {
  const answered = await runningPid(needs).catch(() => undefined)
  if (answered !== undefined) return answered
  return leasePid(needs).catch((error) => {
    const reason = `Cannot tell whether a daemon runs: none answers, and ${messageOf(error)}`
    throw new UserError("failed", reason, { cause: error })
  })
}

/** The process id of a daemon that answers; does not need the database. */
async function runningPid(needs: CliNeeds): Promise<number | undefined> {
  if (!(await isDaemonUp(needs.paths.socket))) return undefined
  const fetch = socketFetch(needs.paths.socket, 3000)
  const { pid } = await createClient({ fetch, random: needs.random, actor: "cli" }).daemon()
  return pid
}

/** The process id in the lease, if that process is really our daemon. */
async function leasePid(needs: CliNeeds): Promise<number | undefined> {
  const { loadInstall } = await import("../../../../config/install.ts")
  const { leaseHolder } = await import("../../../../storage/leases.ts")
  const db = await needs.openDatabase()
  try {
    const install = loadInstall(needs.paths.installFile, needs.random)
    const holder = await leaseHolder<{ pid: number; host: string }>(db, `daemon/${install.id}`)
    const isHere = holder?.info.host === hostname()
    return holder && isHere && isDaemon(holder.info.pid) ? holder.info.pid : undefined
  } finally {
    await db.close()
  }
}

/** Process ids are reused: only a process with a daemon's command line may be killed. */
function isDaemon(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" })
  return /start --foreground/.test(stdout ?? "")
}

async function isGoneWithin(needs: CliNeeds, pid: number, ms: number): Promise<boolean> {
  const deadline = needs.clock.now() + ms
  while (isAlive(pid)) {
    if (needs.clock.now() >= deadline) return false
    await sleep(needs.clock, 30)
  }
  return true
}
