import { UserError } from "../../src/base/errors.ts"
import type { Bench, Benchmark, Figure } from "../shared/figures.ts"

/** What is measured, each part loaded when it is asked for. */
const parts: Record<string, () => Promise<(bench: Bench) => Promise<Figure[]>>> = {
  startup: async () => (await import("./startup.ts")).measureStartup,
  footprint: async () => (await import("./footprint.ts")).measureFootprint,
  web: async () => (await import("./web.ts")).webFigures,
}

/** How it feels to use: what a person waits for, and what it takes while nobody uses it. */
export const surfaces: Benchmark = {
  about:
    "how long commands take to start, what the idle daemon takes, and how quick the dashboard is with 5,000 and 50,000 memories",
  options: {
    only: { type: "string", help: `one part: ${Object.keys(parts).join(", ")}` },
    rounds: { type: "string", help: "how often each command is started (30)" },
    idle: { type: "string", help: "seconds that the daemon is left alone (120)" },
    sizes: { type: "string", help: "memories in the store, with commas (5000,50000)" },
  },
  async run(bench) {
    const { only } = bench.options
    const chosen = Object.entries(parts).filter(([name]) => only === undefined || name === only)
    if (chosen.length === 0)
      throw new UserError("usage", `--only takes ${Object.keys(parts).join(" or ")}, not ${only}.`)
    const figures: Figure[] = []
    for (const [, load] of chosen) figures.push(...(await (await load())(bench)))
    return figures
  },
}
