import { readFileSync } from "node:fs"
import { hookToken } from "../../src/config/install.ts"
import { type Benchmark, type Figure, median, percentile, timed } from "../shared/figures.ts"
import { temporaryFolder } from "../shared/stores.ts"
import { emptyForms, type HookForm, hookForms } from "./forms.ts"
import { createInstalled } from "./installed.ts"

/** What a hook adds to a prompt, in every form it can have, beside one of the same form that does nothing. */
export const hook: Benchmark = {
  about: "time that a hook adds to a prompt, against an empty hook of the same kind, daemon up and down",
  options: { rounds: { type: "string", help: "prompts of each form and state (60)" } },
  async run(bench) {
    const rounds = Number(bench.options.rounds ?? 60)
    const installed = await createInstalled(bench)
    const { token } = JSON.parse(readFileSync(installed.installFile, "utf8"))
    const forms = hookForms({ ...installed, token: hookToken(token) })
    const empty = await emptyForms(bench, temporaryFolder(bench))
    const figures: Figure[] = []
    for (const state of ["up", "down"] as const) {
      if (state === "down") await installed.stop()
      for (const [name, form] of Object.entries(forms)) {
        bench.say(`${name}, daemon ${state}`)
        const other = empty[name]
        if (other !== undefined)
          figures.push(...(await compare({ id: `${name}.${state}`, form, other, rounds })))
      }
    }
    return figures
  },
}

interface Compared {
  id: string
  form: HookForm
  other: HookForm
  rounds: number
}

/** Runs both in turn, so that whatever else the machine does hits them alike. */
async function compare({ id, form, other, rounds }: Compared): Promise<Figure[]> {
  const own: number[] = []
  const empty: number[] = []
  for (let round = 0; round < rounds + 3; round += 1) {
    const input = promptOf(round)
    const times = [await timed(() => form(input)), await timed(() => other(input))] as const
    // The first ones warm up caches on both sides.
    if (round < 3) continue
    own.push(times[0])
    empty.push(times[1])
  }
  const added = own.map((value, index) => value - (empty[index] ?? 0))
  const figure = (name: string, share: number): Figure => ({
    id: `${id}.${name}`,
    value: percentile(own, share),
    unit: "ms",
    better: "lower",
    baseline: { name: "empty hook of its kind", value: percentile(empty, share) },
  })
  return [
    figure("median", 0.5),
    figure("p95", 0.95),
    { id: `${id}.added.median`, value: median(added), unit: "ms", better: "lower" },
    { id: `${id}.added.p95`, value: percentile(added, 0.95), unit: "ms", better: "lower" },
  ]
}

function promptOf(round: number): string {
  return JSON.stringify({
    session_id: "bench",
    cwd: "/",
    hook_event_name: "UserPromptSubmit",
    prompt: `How was it with the tides again, the ${round}th time I ask? ${"Say it in few words. ".repeat(20)}`,
  })
}
