import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { systemClock } from "../../src/base/clock.ts"
import { giveToSandbox } from "../../src/coding/work/sandbox/bubblewrap.ts"
import { findSandbox } from "../../src/coding/work/sandbox/find-sandbox.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { configSchema } from "../../src/config/schema.ts"
import { type Bench, type Figure, median, percentile, timed } from "../shared/figures.ts"
import { temporaryFolder } from "../shared/stores.ts"

/** How long the shortest command takes in the sandbox, against the same without one; in turn, so that both meet the same machine. */
export async function measureSandbox(bench: Bench): Promise<Figure[]> {
  const rounds = Number(bench.options.rounds ?? 40)
  const home = temporaryFolder(bench)
  const paths = pathsFor(readEnvironment({ ...process.env, REVERIE_HOME: home }))
  const found = await findSandbox({ clock: systemClock, paths, work: configSchema.parse({}).work })
  if (found.outcome === "missing") throw new Error(`${found.reason}. ${found.fix}`)
  const root = join(home, "tree")
  mkdirSync(root)
  await giveToSandbox(root)
  const view = { root, readable: [], files: [] }
  const inside: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds + 3; round += 1) {
    const times = [
      await timed(() => found.sandbox.run({ view, command: ["true"], timeoutMs: 60_000 })),
      await timed(() => once(spawn("true", { stdio: ["ignore", "pipe", "pipe"] }), "close")),
    ] as const
    if (round < 3) continue
    inside.push(times[0])
    bare.push(times[1])
  }
  const figure = (id: string, share: number): Figure => ({
    ...{ id, unit: "ms", better: "lower", value: percentile(inside, share) },
    baseline: { name: "bare spawn", value: percentile(bare, share) },
  })
  return [{ ...figure("sandbox-start-ms", 0.5), value: median(inside) }, figure("sandbox-start-p95-ms", 0.95)]
}
