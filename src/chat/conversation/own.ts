import type { Delivery, RunState } from "./state.ts"
import { change, isAnswer, type Step } from "./step.ts"

/** So many things of our own are known again that were to be said in a room. */
const mostOwn = 20

/** Something of our own was said, or not; whoever wanted it said is told. Other runs are left alone. */
export function endOwn(step: Step, { kind, outgoing }: RunState, delivery: Delivery): void {
  if (isAnswer(kind) || kind === "batch" || outgoing === null) return
  noteOwn(step, outgoing.key, delivery)
}

export function noteOwn(step: Step, key: string, delivery: Delivery): void {
  const { own = [] } = step.state
  // What was kept back may be said later under the same key.
  const others = own.filter((one) => one.key !== key)
  change(step, { own: [...others, { key, delivery }].slice(-mostOwn) })
  step.effects.push({ kind: "own-ended", key, delivery })
}
