import type { Benchmark, Figure } from "../shared/figures.ts"
import { webFigures } from "./web.ts"

/** The parts, each by its name: add another surface here. */
const parts: Record<string, typeof webFigures> = { web: webFigures }

/** How quick what people look at is. */
export const surfaces: Benchmark = {
  about:
    "what people see: the dashboard's first paint, search, graph and size with 5,000 and 50,000 memories",
  options: {
    only: { type: "string", help: `one part: ${Object.keys(parts).join(", ")}` },
    sizes: { type: "string", help: "memories in the store, with commas (5000,50000)" },
  },
  async run(bench) {
    const figures: Figure[] = []
    for (const [name, part] of Object.entries(parts))
      if (bench.options.only === undefined || bench.options.only === name)
        figures.push(...(await part(bench)))
    return figures
  },
}
