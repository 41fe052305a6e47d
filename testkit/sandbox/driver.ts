// Runs commands in the sandbox as whoever it was started as, one for each message of its parent.
import { systemClock } from "../../src/base/clock.ts"
import { findSandbox } from "../../src/coding/work/sandbox/find-sandbox.ts"
import type { SandboxResult, SandboxView } from "../../src/coding/work/sandbox/sandbox.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { configSchema } from "../../src/config/schema.ts"

/** What the driver is asked. */
export interface DriverRequest {
  id: number
  view: SandboxView
  command: string | readonly string[]
  timeoutMs: number
  abortAfterMs?: number | undefined
  limits: { memory_mb: number; processes: number; disk_mb: number }
}

/** What it answers. */
export interface DriverAnswer {
  id: number
  result?: SandboxResult
  problem?: string
}

process.on("message", (request: DriverRequest) => void answer(request))
process.on("disconnect", () => process.exit(0))
process.send?.({ id: 0 } satisfies DriverAnswer)

async function answer({ id, view, command, timeoutMs, abortAfterMs, limits }: DriverRequest): Promise<void> {
  const paths = pathsFor(readEnvironment())
  const work = { ...configSchema.parse({}).work, ...limits }
  const found = await findSandbox({ clock: systemClock, paths, work })
  if (found.outcome === "missing") {
    process.send?.({ id, problem: found.reason } satisfies DriverAnswer)
    return
  }
  const signal = abortAfterMs === undefined ? undefined : AbortSignal.timeout(abortAfterMs)
  const result = await found.sandbox.run({ view, command, timeoutMs, signal })
  process.send?.({ id, result } satisfies DriverAnswer)
}
