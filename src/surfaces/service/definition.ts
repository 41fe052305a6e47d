import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { exitCodes } from "../../base/errors.ts"
import type { Environment } from "../../config/environment.ts"
import type { Paths } from "../../config/paths.ts"
import { seal } from "./seal.ts"

/** What starts the daemon at login on this kind of machine. */
export type Manager = "systemd" | "launchd"

/** A service as its manager wants it. */
export interface Definition {
  manager: Manager
  /** How the manager calls it. */
  name: string
  file: string
  text: string
}

/** What a service is made of. */
export interface DefinitionNeeds {
  env: Environment
  paths: Paths
  /** The file that was run. */
  entry: string
}

/** The service of this installation; one with a home of its own has a name of its own. */
export function defineService(needs: DefinitionNeeds, manager: Manager): Definition {
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

/** `bin/reverie` finds the right Node by itself; without it the Node that runs now is named. */
function programOf(entry: string): string[] {
  const program = join(dirname(entry), "../bin/reverie")
  return existsSync(program) ? [program] : [process.execPath, entry]
}

/** A manager knows little of the user's shell: where things are kept and where the user's programs are has to be told. */
function variablesOf(env: Environment): [string, string][] {
  const names = ["PATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"]
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

/** Everything the daemon started ends with it: the whole control group is ended. What it says itself it logs itself. */
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

/** A word in a unit: quoted, and with percent signs that stand for themselves. */
function quoted(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")
  return `"${escaped}"`
}

/** launchd ends the whole process group of what it started. */
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
