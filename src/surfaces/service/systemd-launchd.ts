import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { UserError } from "../../base/errors.ts"
import { type Definition, defineService, type Manager, type ServiceContext } from "./definition.ts"

/** One service in systemd or launchd. */
export interface ServiceManager {
  /** Why the service manager is not available; undefined if it is. */
  problem(): string | undefined
  isActive(): boolean
  isEnabled(): boolean
  /** Loads a new or changed file, and starts or restarts the service if `start` is set. */
  install(start: boolean): void
  /** Stops it and does not start it again. */
  disable(): void
  /** Reloads the service manager after the file was removed. */
  reload(): void
  /** A hint for the user. */
  hint(): string | undefined
}

/** The service in its manager. */
export function serviceManager(definition: Definition, userId: number): ServiceManager {
  return definition.manager === "systemd" ? systemd(definition.name) : launchd(definition, userId)
}

/** Restarts the daemon through its service manager; false if it does not run as a service. */
export function restartService(context: ServiceContext): boolean {
  const definition = defineService(context, managerHere())
  if (!existsSync(definition.file)) return false
  const manager = serviceManager(definition, context.env.userId)
  if (manager.problem() !== undefined || !manager.isActive()) return false
  manager.install(true)
  return true
}

/** The service manager of this platform. */
export function managerHere(): Manager {
  return process.platform === "darwin" ? "launchd" : "systemd"
}

function run(program: string, ...args: string[]) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", timeout: 60_000 })
  return {
    ok: status === 0,
    stdout: stdout ?? "",
    stderr: (stderr ?? "").trim(),
    isMissing: error !== undefined,
  }
}

function runOrThrow(program: string, ...args: string[]): void {
  const { ok, stderr } = run(program, ...args)
  if (!ok)
    throw new UserError(
      "failed",
      `\`${[program, ...args].join(" ")}\` failed: ${stderr.replaceAll("\n", " ")}`,
    )
}

function systemd(unit: string): ServiceManager {
  const user = (...args: string[]) => runOrThrow("systemctl", "--user", ...args)
  const isActive = () => run("systemctl", "--user", "is-active", "--quiet", unit).ok
  return {
    problem() {
      const { ok, isMissing } = run("systemctl", "--user", "show-environment")
      if (isMissing) return "there is no systemd on this machine"
      return ok ? undefined : "systemd does not run for your user here"
    },
    isActive,
    isEnabled: () => run("systemctl", "--user", "is-enabled", "--quiet", unit).ok,
    install(start) {
      const wasActive = isActive()
      user("daemon-reload")
      if (start && wasActive) user("restart", unit)
      user("enable", ...(start ? ["--now"] : []), unit)
    },
    disable: () => user("disable", "--now", unit),
    reload: () => void run("systemctl", "--user", "daemon-reload"),
    hint() {
      const { ok, stdout } = run(
        "loginctl",
        "show-user",
        String(process.getuid?.() ?? ""),
        "--property=Linger",
      )
      if (!ok || !stdout.includes("Linger=no")) return undefined
      return "It stops when you log out; `loginctl enable-linger` keeps it running and starts it with the machine."
    },
  }
}

function launchd({ name, file }: Definition, userId: number): ServiceManager {
  const domain = `gui/${userId}`
  const isActive = () => run("launchctl", "print", `${domain}/${name}`).ok
  return {
    problem: () =>
      run("launchctl", "print", domain).ok ? undefined : "launchd does not answer for your user here",
    isActive,
    isEnabled: isActive,
    install(start) {
      if (!start) return
      if (isActive()) runOrThrow("launchctl", "bootout", `${domain}/${name}`)
      runOrThrow("launchctl", "bootstrap", domain, file)
    },
    disable() {
      if (isActive()) runOrThrow("launchctl", "bootout", `${domain}/${name}`)
    },
    reload() {},
    hint: () => undefined,
  }
}
