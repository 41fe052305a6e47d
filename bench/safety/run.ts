import { attackFigures } from "../attack/run.ts"
import type { Bench, Benchmark, Figure } from "../shared/figures.ts"
import { measureClassifying } from "./classify.ts"
import { measureDeciding } from "./decide.ts"
import { measureSandbox } from "./sandbox.ts"

/** Each part measures one thing and gives its figures. */
const parts: Record<string, (bench: Bench) => Promise<Figure[]>> = {
  classify: measureClassifying,
  decide: measureDeciding,
  sandbox: measureSandbox,
  attacks: (bench) => attackFigures(bench, ["acting", "approvals", "sandbox", "worktree"]),
}

/** What safety costs. */
export const safety: Benchmark = {
  about:
    "what safety costs (a call's classification, a decision's way to the agent, the sandbox's start) and what it holds",
  options: {
    rounds: { type: "string", help: "how often each is measured (40)" },
    only: { type: "string", help: `one part: ${Object.keys(parts).join(", ")}` },
  },
  async run(bench) {
    const chosen = Object.entries(parts).filter(([name]) => (bench.options.only ?? name) === name)
    const figures: Figure[] = []
    for (const [name, measure] of chosen) {
      bench.say(name)
      figures.push(...(await measure(bench)))
    }
    return figures
  },
}
