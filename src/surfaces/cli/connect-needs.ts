import { dirname, extname, join } from "node:path"
import { hookProgramFile } from "../../coding/connect/connect.ts"
import type { ConnectWorld } from "../../coding/connect/connectable.ts"
import type { CliNeeds } from "./needs.ts"

/** What connections are made of, for this installation. */
export function connectNeeds(needs: Pick<CliNeeds, "env" | "paths" | "clock" | "entry">) {
  const { env, paths, clock, entry } = needs
  const world: ConnectWorld = {
    env,
    hookProgram: hookProgramFile(paths),
    socket: paths.socket,
    reverie: [process.execPath, entry],
  }
  const node = [process.execPath, join(dirname(entry), extname(entry) === ".ts" ? "hook.ts" : "hook.cjs")]
  return { clock, paths, world, node, dataDir: paths.dataDir }
}
