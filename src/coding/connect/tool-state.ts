import { existsSync } from "node:fs"
import { findInPath } from "../../llm/bridges/find-program.ts"
import type { HookTool } from "../hooks/dialect.ts"
import { hasCalled } from "./calls.ts"
import type { Connectable, ConnectWorld } from "./connectable.ts"
import { readText } from "./files.ts"
import type { DataFolder } from "./folder.ts"
import { hookProgramText } from "./hook-command.ts"
import { type ConnectionRecord, readRecords } from "./records.ts"
import { oursIn, type SettingsFile, withOurs } from "./settings/settings-file.ts"
import { connectables } from "./tools.ts"

/** How a tool stands on this machine. */
export interface ToolState {
  tool: HookTool
  name: string
  /** Whether its program or its settings were found. */
  found: boolean
  /** Whether its program can be started, which asking models by it needs. */
  program: boolean
  connections: Connection[]
  /** What the user can do so that it works, where it is connected and does not, or is not known to. */
  advice: string[]
}

/** One file in which we stand. */
export interface Connection {
  file: string
  /** The project's folder; null for all of the user's. */
  project: string | null
  /** Why it does not work any more; null where it does. */
  problem: string | null
}

interface LookNeeds extends DataFolder {
  world: ConnectWorld
  /** How to run the hook program's other half. */
  node: readonly string[]
}

/** Looks at every tool: whether it is there, where we stand in it, and whether that still leads to us. */
export function readToolStates(needs: LookNeeds): ToolState[] {
  const records = readRecords(needs)
  return Object.values(connectables).map((tool) => {
    const connections = projectsOf(tool, records).flatMap((project) =>
      tool
        .everywhere(needs.world, project ?? undefined)
        .flatMap((settings) => connectionIn(needs, settings, project)),
    )
    const program = hasProgram(tool, needs.world)
    const found = program || existsSync(tool.folder(needs.world.env))
    const { tool: id, name } = tool
    return { tool: id, name, found, program, connections, advice: adviceFor(needs, tool, connections) }
  })
}

function adviceFor(needs: LookNeeds, tool: Connectable, connections: readonly Connection[]): string[] {
  if (connections.length === 0) return []
  const called = hasCalled(needs, tool.tool)
  const projects = [...new Set(connections.map(({ project }) => project ?? undefined))]
  const waits = projects.flatMap((project) => tool.waitsFor?.(needs.world, project, called) ?? [])
  if (waits.length > 0 || called) return [...new Set(waits)]
  return [`${tool.name} has not called since it was connected; its next session does, while the daemon runs`]
}

/** The user's own settings first, then those of projects that were connected. */
function projectsOf({ tool }: Connectable, records: readonly ConnectionRecord[]): (string | null)[] {
  return [...new Set([null, ...records.filter((one) => one.tool === tool).map(({ project }) => project)])]
}

/** Looked for as the ways to models look for it, so that both tell the same. */
function hasProgram({ program }: Connectable, { env }: ConnectWorld): boolean {
  return findInPath(program, env.variable("PATH") ?? "") !== undefined
}

function connectionIn(needs: LookNeeds, settings: SettingsFile, project: string | null): Connection[] {
  const text = readText(settings.file)
  if (text === undefined || text.trim() === "" || settings.faultOf(text) !== undefined) return []
  const targets = oursIn(settings, text)
  if (targets.length === 0) return []
  const problem = problemWith(needs, settings, text, targets) ?? null
  return settings.isBesides && problem === null ? [] : [{ file: settings.file, project, problem }]
}

function problemWith(
  { world, node }: LookNeeds,
  settings: SettingsFile,
  text: string,
  targets: readonly string[],
): string | undefined {
  const gone = targets.find((target) => target.startsWith("/") && !existsSync(target))
  if (gone !== undefined) return `it leads to ${gone}, which is gone`
  const expected = hookProgramText({ socket: world.socket, node })
  if (targets.includes(world.hookProgram) && readText(world.hookProgram) !== expected)
    return `${world.hookProgram} is not of this version`
  const lacking = settings.parts.flatMap((part) => part.lacks?.(text) ?? [])
  if (lacking.length > 0)
    return `it lacks the ${lacking.length === 1 ? "hook" : "hooks"} ${lacking.join(", ")}`
  const isOwn = targets.includes(settings.file)
  return isOwn && withOurs(settings, text) !== text ? "it is not of this version" : undefined
}
