import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { exitCodes } from "../../base/errors.ts"
import { toolHomeVariables } from "../../coding/tool-homes.ts"
import type { Environment } from "../../config/environment.ts"
import type { CliNeeds } from "../cli/needs.ts"
import { seal } from "./seal.ts"

/** The program that starts the daemon at login. */
export type Manager = "systemd" | "launchd"

/** The file that defines a service. */
export interface Definition {
  manager: Manager
  /** Its name in the manager. */
  name: string
  file: string
  text: string
}

/** What the definition of a service depends on. */
export type ServiceContext = Pick<CliNeeds, "env" | "paths" | "entry">

/** The service of this installation. With REVERIE_HOME, its name contains a hash of the home. */
export function defineService(needs: ServiceContext, manager: Manager): Definition {
  const { env } = needs
  const own = env.home === undefined ? "" : hashOf(resolve(env.home))
  const started = {
    command: [...programOf(needs.entry), "start", "--foreground", "--quiet"],
    variables: variablesOf(env),
    logFile: needs.paths.logFile,
  }
  if (manager === "systemd") {
    const name = `reverie${own === "" ? "" : `-${own}`}.service`
    const file = join(env.configHome ?? join(env.userHome, ".config"), "systemd/user", name)
    return { manager, name, file, text: seal(systemdUnit(started), { begin: "# ", end: "" }) }
  }
  const name = `reverie.daemon${own === "" ? "" : `.${own}`}`
  const file = join(env.userHome, "Library/LaunchAgents", `${name}.plist`)
  const text = seal(launchdAgent(name, started), { begin: "<!-- ", end: " -->" })
  return { manager, name, file, text }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8)
}

/** `bin/reverie` finds the right Node itself; without it, the current Node is used. */
function programOf(entry: string): string[] {
  const program = join(dirname(entry), "../bin/reverie")
  return existsSync(program) ? [program] : [process.execPath, entry]
}

/** A service manager does not have the variables of the user's shell, so the definition contains them. */
function variablesOf(env: Environment): [string, string][] {
  const xdg = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"]
  const names = ["PATH", ...xdg, ...toolHomeVariables]
  const home: [string, string][] = env.home === undefined ? [] : [["REVERIE_HOME", resolve(env.home)]]
  const models: [string, string][] =
    env.modelsDir === undefined ? [] : [["REVERIE_MODELS", resolve(env.modelsDir)]]
  const others = names.flatMap((name): [string, string][] => {
    const value = env.variable(name)
    return value === undefined ? [] : [[name, value]]
  })
  return [...home, ...models, ...others]
}

interface Started {
  command: readonly string[]
  variables: readonly [string, string][]
  logFile: string
}

/** Stopping it ends the whole control group. The daemon writes its own log, so stdout is discarded. */
function systemdUnit({ command, variables, logFile }: Started): string {
  return [
    "SEAL",
    "[Unit]",
    "Description=Reverie, a memory that tends itself",
    "StartLimitIntervalSec=300",
    "StartLimitBurst=5",
    "",
    "[Service]",
    "Type=exec",
    `ExecStart=${command.map((word) => quoted(word).replaceAll("$", "$$$$")).join(" ")}`,
    ...variables.map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    "Restart=on-failure",
    "RestartSec=5",
    `RestartPreventExitStatus=${exitCodes.lost}`,
    "KillMode=control-group",
    "TimeoutStopSec=20",
    "StandardOutput=null",
    `StandardError=append:${logFile.replaceAll("%", "%%")}`,
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n")
}

/** A word in a unit: quoted, with percent signs escaped. */
function quoted(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")
  return `"${escaped}"`
}

/** launchd ends the whole process group. */
function launchdAgent(name: string, { command, variables, logFile }: Started): string {
  const strings = command.map((word) => `    <string>${escaped(word)}</string>`)
  const pairs = variables.map(
    ([variable, value]) => `    <key>${escaped(variable)}</key><string>${escaped(value)}</string>`,
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    "SEAL",
    '<plist version="1.0">',
    "<dict>",
    `  <key>Label</key><string>${escaped(name)}</string>`,
    "  <key>ProgramArguments</key>",
    "  <array>",
    ...strings,
    "  </array>",
    "  <key>EnvironmentVariables</key>",
    "  <dict>",
    ...pairs,
    "  </dict>",
    "  <key>RunAtLoad</key><true/>",
    "  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>",
    "  <key>AbandonProcessGroup</key><false/>",
    "  <key>ProcessType</key><string>Background</string>",
    `  <key>StandardErrorPath</key><string>${escaped(logFile)}</string>`,
    "</dict>",
    "</plist>",
    "",
  ].join("\n")
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
