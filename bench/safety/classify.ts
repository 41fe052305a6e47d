import { z } from "zod"
import { configSchema } from "../../src/config/schema.ts"
import { decide } from "../../src/safety/dispatch.ts"
import { defineTool } from "../../src/safety/tool.ts"
import type { Bench, Figure } from "../shared/figures.ts"

const calls = 20_000

/** What it takes to check one call's input and decide whether it may run, with a few rules of the person's own. */
export async function measureClassifying({ options }: Bench): Promise<Figure[]> {
  const rounds = Number(options.rounds ?? 40)
  const tool = defineTool({
    name: "work_write",
    description: "Write a file.",
    input: z.object({ path: z.string(), text: z.string() }),
    tier: "auto",
    effects: ({ path }) => [{ kind: "write", path, root: "work" }],
    run: async () => "done",
  })
  const config = configSchema.parse({
    safety: {
      require_permission: ["memory_archive", "work_run(command=npm *)"],
      never: ["work_write(path=*.lock)"],
    },
  })
  const bare = z.object({ path: z.string(), text: z.string() })
  const input = { path: "src/app/main.ts", text: "export {}\n".repeat(20) }
  const classify = () => {
    const checked = tool.check(input)
    if ("problem" in checked) throw new Error(checked.problem)
    return decide({ config, hasReadUntrusted: true }, "work_write", checked)
  }
  return [
    {
      id: "classify-us",
      value: median(rounds, classify),
      unit: "µs",
      better: "lower",
      baseline: { name: "zod alone", value: median(rounds, () => bare.parse(input)) },
    },
  ]
}

function median(rounds: number, work: () => unknown): number {
  const each = Array.from({ length: rounds }, () => {
    const begun = performance.now()
    for (let call = 0; call < calls / rounds; call += 1) work()
    return ((performance.now() - begun) * 1000) / (calls / rounds)
  })
  return each.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
}
