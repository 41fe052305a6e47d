import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Clock } from "../../base/clock.ts"
import type { Paths } from "../../config/paths.ts"
import { hookTools } from "../hooks/dialect.ts"

/** A tool's calls are recorded at most this often. */
const recordEveryMs = 60_000

/** Records when a tool's hooks call: an empty file for each tool, so that commands need no database to check. */
export function createCallRecorder({ clock, paths }: { clock: Clock; paths: Paths }): (tool: string) => void {
  const recorded = new Map<string, number>()
  return (tool) => {
    const now = clock.now()
    const isTool = hookTools.some((one) => one === tool)
    if (!isTool || now - (recorded.get(tool) ?? Number.NEGATIVE_INFINITY) < recordEveryMs) return
    recorded.set(tool, now)
    const file = callFile(paths, tool)
    try {
      mkdirSync(paths.connectionsDir, { recursive: true, mode: 0o700 })
      if (!existsSync(file)) writeFileSync(file, "", { mode: 0o600 })
      utimesSync(file, now / 1000, now / 1000)
    } catch {
      // Without the file, only a piece of advice is wrong.
    }
  }
}

/** Whether a tool's hooks called since it was last connected. */
export function hasCalled(paths: Paths, tool: string): boolean {
  return existsSync(callFile(paths, tool))
}

/** Deletes the record of a tool's calls: a new connection has not called yet. */
export function clearCalls(paths: Paths, tool: string): void {
  rmSync(callFile(paths, tool), { force: true })
}

function callFile({ connectionsDir }: Paths, tool: string): string {
  return join(connectionsDir, `${tool}.called`)
}
