import { dirname, extname, join } from "node:path"
import type { ConnectSetup } from "../../coding/connect/connectable.ts"
import { hookProgramFile } from "../../coding/connect/hook-command.ts"
import { readToolStates, type ToolState } from "../../coding/connect/tool-state.ts"
import type { CliNeeds } from "./needs.ts"

type Installed = Pick<CliNeeds, "env" | "paths" | "clock" | "entry">

/** What connecting tools to this installation needs. */
export function connectSetup({ env, paths, clock, entry }: Installed): ConnectSetup {
  const hook = join(dirname(entry), extname(entry) === ".ts" ? "hook.ts" : "hook.cjs")
  return {
    clock,
    paths,
    host: {
      ...{ env, socket: paths.socket, hookProgram: hookProgramFile(paths) },
      nodeHook: [process.execPath, hook],
      reverie: [process.execPath, entry],
    },
  }
}

/** The coding agents that Reverie knows: whether they are installed here, and how they are connected. */
export function toolStates(needs: Installed): ToolState[] {
  return readToolStates(connectSetup(needs))
}

/** Whether a tool is installed here and not connected yet. */
export function isUnconnected({ found, connections }: ToolState): boolean {
  return found && connections.length === 0
}

/** What keeps a connected tool from using the memory, and what to do about it. */
export function problemsOf({ tool, connections, advice }: ToolState): string[] {
  const broken = connections.flatMap(({ file, project, problem }) => {
    if (problem === null) return []
    const where = project === null ? "" : ` --project '${project}'`
    return [`${file}: ${problem}. Run \`reverie connect ${tool}${where}\` again.`]
  })
  return [...broken, ...advice.map((one) => `${one}.`)]
}
