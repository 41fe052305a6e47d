import { existsSync } from "node:fs"
import { findInPath } from "../../llm/bridges/find-program.ts"
import type { HookTool } from "../hooks/dialect.ts"
import { hasCalled } from "./calls.ts"
import type { Connectable, ConnectHost, ConnectSetup } from "./connectable.ts"
import { readText } from "./files.ts"
import { hookProgramText } from "./hook-command.ts"
import { type ConnectionRecord, readRecords } from "./records.ts"
import { addOurs, findOurs, type SettingsFile } from "./settings/settings-file.ts"
import { connectables, connectedFiles } from "./tools.ts"

/** Whether a tool is installed on this machine, connected and working. */
export interface ToolState {
  tool: HookTool
  name: string
  /** Whether its program or its settings were found. */
  found: boolean
  /** Whether its program can be started; models can be asked through it then. */
  program: boolean
  connections: Connection[]
  /** What the user can do if it is connected but does not work, or may not work. */
  advice: string[]
}

/** A settings file with entries of ours. */
export interface Connection {
  file: string
  /** The project's folder; null for all projects of the user. */
  project: string | null
  /** Why it does not work any more; null if it works. */
  problem: string | null
}

/** The state of every tool on this machine. */
export function readToolStates(setup: ConnectSetup): ToolState[] {
  const { host, paths } = setup
  const records = readRecords(paths)
  return Object.values(connectables).map((tool) => {
    const connections = projectsOf(tool, records).flatMap((project) =>
      connectedFiles(tool, host, project ?? undefined).flatMap((settings) =>
        connectionIn(host, settings, project),
      ),
    )
    const program = hasProgram(tool, host)
    const found = program || existsSync(tool.folder(host.env))
    const { tool: id, name } = tool
    return { tool: id, name, found, program, connections, advice: adviceFor(setup, tool, connections) }
  })
}

/** How a tool is connected, read from its settings, so that it can be connected in the same way again. */
export function currentConnection(
  host: ConnectHost,
  tool: Connectable,
  project: string | undefined,
): { mcp: boolean; http: boolean } {
  const found = connectedFiles(tool, host, project).flatMap((settings) => {
    const text = parsedText(settings)
    return settings.parts.flatMap(({ isServer = false, find }) =>
      text === undefined ? [] : find(text).map((target) => ({ isServer, target })),
    )
  })
  return {
    mcp: found.some(({ isServer }) => isServer),
    http: found.some(({ target }) => target.startsWith("http://")),
  }
}

/** The text of a settings file; undefined if it is missing, empty or cannot be parsed. */
function parsedText({ file, problemWith }: SettingsFile): string | undefined {
  const text = readText(file) ?? ""
  return text.trim() === "" || problemWith(text) !== undefined ? undefined : text
}

function adviceFor(
  { host, paths }: ConnectSetup,
  tool: Connectable,
  connections: readonly Connection[],
): string[] {
  if (connections.length === 0) return []
  const called = hasCalled(paths, tool.tool)
  const projects = [...new Set(connections.map(({ project }) => project ?? undefined))]
  const pending = projects.flatMap((project) => tool.pendingStep?.(host, project, called) ?? [])
  if (pending.length > 0 || called) return [...new Set(pending)]
  return [`${tool.name} has not called since it was connected; its next session will, while the daemon runs`]
}

/** The user's own settings first, then those of projects that were connected. */
function projectsOf({ tool }: Connectable, records: readonly ConnectionRecord[]): (string | null)[] {
  return [...new Set([null, ...records.filter((one) => one.tool === tool).map(({ project }) => project)])]
}

/** Uses the same search as the bridges to models, so that both report the same. */
function hasProgram({ program }: Connectable, { env }: ConnectHost): boolean {
  return findInPath(program, env.variable("PATH") ?? "") !== undefined
}

function connectionIn(host: ConnectHost, settings: SettingsFile, project: string | null): Connection[] {
  const text = parsedText(settings)
  const targets = text === undefined ? [] : findOurs(settings, text)
  if (text === undefined || targets.length === 0) return []
  const problem = problemWith(host, settings, text, targets) ?? null
  return settings.isOptional && problem === null ? [] : [{ file: settings.file, project, problem }]
}

function problemWith(
  host: ConnectHost,
  settings: SettingsFile,
  text: string,
  targets: readonly string[],
): string | undefined {
  const gone = targets.find((target) => target.startsWith("/") && !existsSync(target))
  if (gone !== undefined) return `it runs ${gone}, which is gone`
  if (targets.includes(host.hookProgram) && readText(host.hookProgram) !== hookProgramText(host))
    return `${host.hookProgram} is from another version`
  const missing = settings.parts.flatMap((part) => part.missing?.(text) ?? [])
  if (missing.length > 0)
    return `it lacks the ${missing.length === 1 ? "hook" : "hooks"} ${missing.join(", ")}`
  const isOwn = targets.includes(settings.file)
  return isOwn && addOurs(settings, text) !== text ? "it is from another version" : undefined
}
