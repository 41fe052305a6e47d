import { existsSync } from "node:fs"
import { type DefinitionNeeds, defineService } from "./definition.ts"
import { managerHere, serviceManager } from "./systemd-launchd.ts"

/** Has the system start the daemon anew, if it is the one that runs it. */
export function restartService(needs: DefinitionNeeds): boolean {
  const definition = defineService(needs, managerHere())
  if (!existsSync(definition.file)) return false
  const manager = serviceManager(definition, needs.env.userId)
  if (manager.problem() !== undefined || !manager.isActive()) return false
  manager.take(true)
  return true
}
