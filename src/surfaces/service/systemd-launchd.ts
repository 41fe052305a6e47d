import { spawnSync } from "node:child_process"
import { UserError } from "../../base/errors.ts"
import type { Definition, Manager } from "./definition.ts"

/** What a manager can be asked to do with a service. */
export interface ServiceManager {
  /** Why it cannot be asked; undefined where it can. */
  problem(): string | undefined
  isActive(): boolean
  isEnabled(): boolean
  /** Takes a new or changed file in; starts it too, or starts it anew, if that is wanted. */
  take(start: boolean): void
  /** Stops it, and lets it not be started again. */
  drop(): void
  /** After the file is gone. */
  forget(): void
  /** What the user should know about it. */
  hint(): string | undefined
}

/** The manager of this kind, for one service. */
export function serviceManager(definition: Definition, userId: number): ServiceManager {
  return definition.manager === "systemd" ? systemd(definition.name) : launchd(definition, userId)
}

/** The manager that machines like this one have. */
export function managerHere(): Manager {
  return process.platform === "darwin" ? "launchd" : "systemd"
}

function ask(program: string, ...args: string[]) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", timeout: 60_000 })
  return {
    ok: status === 0,
    stdout: stdout ?? "",
    stderr: (stderr ?? "").trim(),
    isMissing: error !== undefined,
  }
}

function must(program: string, ...args: string[]): void {
  const { ok, stderr } = ask(program, ...args)
  if (!ok)
    throw new UserError(
      "failed",
      `\`${[program, ...args].join(" ")}\` failed: ${stderr.replaceAll("\n", " ")}`,
    )
}

function systemd(unit: string): ServiceManager {
  const user = (...args: string[]) => must("systemctl", "--user", ...args)
  const isActive = () => ask("systemctl", "--user", "is-active", "--quiet", unit).ok
  return {
    problem() {
      const { ok, isMissing } = ask("systemctl", "--user", "show-environment")
      if (isMissing) return "there is no systemd on this machine"
      return ok ? undefined : "systemd does not run for your user here"
    },
    isActive,
    isEnabled: () => ask("systemctl", "--user", "is-enabled", "--quiet", unit).ok,
    take(start) {
      const wasActive = isActive()
      user("daemon-reload")
      if (start && wasActive) user("restart", unit)
      user("enable", ...(start ? ["--now"] : []), unit)
    },
    drop: () => user("disable", "--now", unit),
    forget: () => void ask("systemctl", "--user", "daemon-reload"),
    hint() {
      const { ok, stdout } = ask(
        "loginctl",
        "show-user",
        String(process.getuid?.() ?? ""),
        "--property=Linger",
      )
      if (!ok || !stdout.includes("Linger=no")) return undefined
      return "It ends when you log out; `loginctl enable-linger` lets it run on, and start with the machine."
    },
  }
}

function launchd({ name, file }: Definition, userId: number): ServiceManager {
  const domain = `gui/${userId}`
  const isActive = () => ask("launchctl", "print", `${domain}/${name}`).ok
  return {
    problem: () =>
      ask("launchctl", "print", domain).ok ? undefined : "launchd does not answer for your user here",
    isActive,
    isEnabled: isActive,
    take(start) {
      if (!start) return
      if (isActive()) must("launchctl", "bootout", `${domain}/${name}`)
      must("launchctl", "bootstrap", domain, file)
    },
    drop() {
      if (isActive()) must("launchctl", "bootout", `${domain}/${name}`)
    },
    forget() {},
    hint: () => undefined,
  }
}
