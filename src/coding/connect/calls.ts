import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { hookTools } from "../hooks/dialect.ts"
import { connectionsFolder, type DataFolder } from "./folder.ts"

/** A tool's calls are noted so often at most: it is only asked whether there was one. */
const noteEveryMs = 60_000

/** Notes when a tool's hooks call; an empty file for each tool, so that every command can look without a database. */
export function openCallNotes({ clock, dataDir }: DataFolder & { clock: Clock }): (tool: string) => void {
  const noted = new Map<string, number>()
  return (tool) => {
    const now = clock.now()
    const isTool = hookTools.some((one) => one === tool)
    if (!isTool || now - (noted.get(tool) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return
    noted.set(tool, now)
    const file = callFile({ dataDir }, tool)
    try {
      mkdirSync(connectionsFolder({ dataDir }), { recursive: true, mode: 0o700 })
      if (!existsSync(file)) writeFileSync(file, "", { mode: 0o600 })
      utimesSync(file, now / 1000, now / 1000)
    } catch {
      // What cannot be noted is only advice that is missing.
    }
  }
}

/** Whether a tool's hooks called since it was last connected. */
export function hasCalled(data: DataFolder, tool: string): boolean {
  return existsSync(callFile(data, tool))
}

/** A connection that is new has not called yet. */
export function forgetCalls(data: DataFolder, tool: string): void {
  rmSync(callFile(data, tool), { force: true })
}

function callFile(data: DataFolder, tool: string): string {
  return join(connectionsFolder(data), `${tool}.called`)
}
