import { dropAll, takeBack } from "./run.ts"
import { change, type Step } from "./step.ts"

/** Stops what is under way and lets go of everything unread; what is leaving is kept back where it still can be. */
export function stopEverything(step: Step, reason: string): void {
  const { run } = step.state
  change(step, { epoch: step.state.epoch + 1, active: null, held: null })
  if (run) {
    step.effects.push({ kind: "abort-run", run: run.id, reason })
    if (run.phase !== "sending" && run.phase !== "checking") takeBack(step, run, reason)
  }
  dropAll(step, reason)
}
