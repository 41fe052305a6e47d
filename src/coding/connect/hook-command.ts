import { join } from "node:path"
import { shellQuoted } from "../../base/text/text.ts"
import type { Paths } from "../../config/paths.ts"
import { connectAsset } from "./asset.ts"

/** The file name of the hook program; it also marks a hook in a tool's settings as ours. */
const hookProgramName = "reverie-hook"

/** Where the hook program is installed. The path never changes, because tools remember which commands the user trusts. */
export function hookProgramFile({ dataDir }: Pick<Paths, "dataDir">): string {
  return join(dataDir, "hooks", hookProgramName)
}

/** The shell command that a tool runs for an event; it succeeds if the program was uninstalled. */
export function hookCommand(program: string, tool: string, event: string): string {
  const quoted = shellQuoted(program)
  return `[ ! -x ${quoted} ] || ${quoted} ${tool} ${event}`
}

/** The hook program that a command runs; undefined if the command is not ours. */
export function hookProgramIn(command: string): string | undefined {
  const quoted = /^\[ ! -x ('(?:[^']|'\\'')+') \] \|\| /.exec(command)?.[1]
  const program = quoted === undefined ? undefined : quoted.slice(1, -1).replaceAll("'\\''", "'")
  return program?.endsWith(`/${hookProgramName}`) ? program : undefined
}

/** The hook program: a shell script that asks the daemon with curl, or with Node where there is no curl. */
export function hookProgramText({
  socket,
  nodeHook,
}: {
  socket: string
  nodeHook: readonly string[]
}): string {
  return connectAsset("reverie-hook.sh", {
    "@SOCKET@": shellQuoted(socket),
    "@NODE@": nodeHook.map(shellQuoted).join(" "),
  })
}
