import { newMemorySchema } from "../../src/memory/model/memory.ts"
import { remember } from "../../src/memory/write/remember.ts"
import type { Figure } from "../shared/figures.ts"
import { hold, spreadFigures } from "./contest.ts"
import type { Both, MeasuredStore } from "./measured-store.ts"
import { by, needsOf } from "./needs.ts"

/** Remembering one thing, compared with what is known, beside one row in a plain table; and without its embedding. */
export async function measureAdds(measured: MeasuredStore, both: Both): Promise<Figure[]> {
  const { store, rows, embedders } = measured
  const whole = await contestOfAdds(measured, both, needsOf(both.db, embedders.real))
  const rest = await contestOfAdds(measured, both, needsOf(both.db, embedders.madeUp))
  const name = `${store.kind}.add`
  return [
    ...spreadFigures(name, rows, whole),
    { id: `${name}-rate.${rows}`, value: 1000 / whole.ours.p50, unit: "adds/s", better: "higher" },
    ...spreadFigures(`${name}-without-embedding`, rows, rest),
  ]
}

function contestOfAdds({ plan, talk }: MeasuredStore, both: Both, needs: ReturnType<typeof needsOf>) {
  return hold({
    rounds: plan.rounds,
    times: plan.addsInRound,
    input: () => newMemorySchema.parse(talk.memory()),
    async ours(memory) {
      const { outcome } = await remember(needs, memory, by())
      if (outcome === "refused") throw new Error("a made-up memory was refused")
    },
    plain: { name: "one row in a plain table", act: (memory) => both.plain.add(memory.content) },
  })
}
