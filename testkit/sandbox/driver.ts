// Runs commands in the sandbox as whoever it was started as, one for each message of its parent.
import { systemClock } from "../../src/base/clock.ts"
import { type FoundSandbox, findSandbox } from "../../src/coding/work/sandbox/find-sandbox.ts"
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

/** The sandbox for each choice of limits: looking for one starts a command in it. */
const found = new Map<string, Promise<FoundSandbox>>()

function sandboxFor(limits: DriverRequest["limits"]): Promise<FoundSandbox> {
  const key = JSON.stringify(limits)
  const paths = pathsFor(readEnvironment())
  const work = { ...configSchema.parse({}).work, ...limits }
  const one = found.get(key) ?? findSandbox({ clock: systemClock, paths, work })
  found.set(key, one)
  return one
}

async function answer({ id, view, command, timeoutMs, abortAfterMs, limits }: DriverRequest): Promise<void> {
  const here = await sandboxFor(limits)
  if (here.outcome === "missing") {
    process.send?.({ id, problem: here.reason } satisfies DriverAnswer)
    return
  }
  const signal = abortAfterMs === undefined ? undefined : AbortSignal.timeout(abortAfterMs)
  const result = await here.sandbox.run({ view, command, timeoutMs, signal })
  process.send?.({ id, result } satisfies DriverAnswer)
}
