import { readFileSync } from "node:fs"
import { setTimeout as wait } from "node:timers/promises"
import type { Bench, Figure } from "../shared/figures.ts"
import { startSmallHome } from "./small-home.ts"

/** What the daemon of a small store takes while nobody uses it: memory, and its share of one core. */
export async function measureFootprint(bench: Bench): Promise<Figure[]> {
  const seconds = Number(bench.options.idle ?? 120)
  // The same as after ten minutes with the default.
  const { daemon } = await startSmallHome(bench, "[embedding]\nidle_unload_minutes = 0.5\n")
  const pid = daemon.pid ?? 0
  const busy = memoryOf(pid)
  bench.say(`leaving the daemon alone for ${seconds} s, then watching it for as long`)
  await wait(seconds * 1000)
  const before = coreSecondsOf(pid)
  const began = performance.now()
  await wait(seconds * 1000)
  const share = (coreSecondsOf(pid) - before) / ((performance.now() - began) / 1000)
  return [
    { id: "footprint.after-use", value: busy, unit: "MB", better: "lower" },
    { id: "footprint.idle", value: memoryOf(pid), unit: "MB", better: "lower" },
    { id: "footprint.core", value: share * 100, unit: "%", better: "lower" },
  ]
}

/** What a process and those it started keep in memory, as Linux counts it. */
function memoryOf(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean)
  const theirs = children.reduce((sum, child) => sum + memoryOf(Number(child)), 0)
  return (Number(kibibytes) * 1024) / 1e6 + theirs
}

/** How much of a core's time a process has used; Linux counts in hundredths of a second. */
function coreSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
