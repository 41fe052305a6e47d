import { dirname, join } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { makePrivateFolder } from "../../base/files/files.ts"
import type { Paths } from "../../config/paths.ts"
import { applyConnecting, applyDisconnecting } from "./apply.ts"
import { forgetCalls } from "./calls.ts"
import type { Connectable, ConnectWorld, Wish } from "./connectable.ts"
import { readText, removeFile, writeText } from "./files.ts"
import { hookProgram, hookProgramText } from "./hook-command.ts"
import { type FileChange, planConnecting, planDisconnecting } from "./plan.ts"
import { readRecords } from "./records.ts"

interface ConnectNeeds {
  clock: Clock
  paths: Paths
  world: ConnectWorld
  node: readonly string[]
}

/** Where the program stands that hooks run. It never moves: tools remember what they were told to trust. */
export function hookProgramFile({ dataDir }: Paths): string {
  return join(dataDir, "hooks", hookProgram)
}

/** What connecting a tool would change. */
export function plannedConnection(needs: ConnectNeeds, tool: Connectable, wish: Wish): FileChange[] {
  return planConnecting(tool.files(needs.world, wish), readRecords(needs.paths))
}

/** What undoing it would change. */
export function plannedParting(needs: ConnectNeeds, tool: Connectable, project?: string): FileChange[] {
  return planDisconnecting(tool.everywhere(needs.world, project), readRecords(needs.paths))
}

/** Makes the connection as planned, and sees to it that the program which hooks run is there. */
export function connectTool(needs: ConnectNeeds, tool: Connectable, wish: Wish, plan: FileChange[]) {
  installHookProgram(needs)
  const { clock, paths } = needs
  if (plan.length > 0) forgetCalls(paths, tool.tool)
  return applyConnecting({ clock, dataDir: paths.dataDir }, { tool: tool.tool, project: wish.project }, plan)
}

/** Undoes it as planned; the program goes with the last connection. */
export function partFromTool(
  { clock, paths, world }: ConnectNeeds,
  { tool }: Connectable,
  plan: FileChange[],
): void {
  forgetCalls(paths, tool)
  applyDisconnecting({ clock, dataDir: paths.dataDir }, plan)
  if (readRecords(paths).length === 0) removeFile(world.hookProgram, join(paths.dataDir, "hooks"))
}

/** Writes the program anew where it is not what it should be. */
function installHookProgram({ world, node }: ConnectNeeds): void {
  const text = hookProgramText({ socket: world.socket, node })
  if (readText(world.hookProgram) === text) return
  makePrivateFolder(dirname(world.hookProgram))
  writeText(world.hookProgram, text, 0o755)
}
