import { countInactive, lossesLeft } from "../model/agents/losses.ts"
import { describeChanges } from "./describe-changes.ts"
import type { GardenChange, GardenGap, GardenOptions, GardenPass, OpenQuestion } from "./garden.ts"

/** A pass with what it collects for its report. */
interface RunningPass extends GardenPass {
  deeds: GardenChange[]
  open: OpenQuestion[]
  gaps: GardenGap[]
  warnings: string[]
  isDone(): boolean
}

/** Starts a pass: applies its caps and collects its report. */
export function createPass(options: GardenOptions): RunningPass {
  const deeds: GardenChange[] = []
  const warnings: string[] = []
  const open: OpenQuestion[] = []
  const gaps: GardenGap[] = []
  let changedSoFar = 0
  const { losses } = options
  let isDone = true
  const remaining = () => ({
    changes: Math.max(0, options.limit - changedSoFar),
    losses: lossesLeft(losses),
  })
  return {
    deeds,
    open,
    gaps,
    warnings,
    signal: options.signal,
    cycle: options.cycle,
    excluded: options.excluded ?? new Set(),
    remaining,
    by: () => options.by(),
    isDone: () => isDone && !options.signal.aborted,
    canContinue: () => !options.signal.aborted && remaining().changes > 0,
    async report(name, { operation, memories, others = 0, words = describeChanges(memories) }, checked) {
      const hidden = countInactive(memories)
      const count = memories.length + others
      changedSoFar += count
      const wasWithin = lossesLeft(losses) > 0
      losses.lost += hidden
      const change = { name, operation, changed: count, lost: hidden, looked: checked, words }
      deeds.push(change)
      await options.onChange?.(change)
      if (wasWithin && lossesLeft(losses) === 0)
        warnings.push(
          `${losses.lost} memories were hidden in this pass, which is its limit; the rest waits for the next pass.`,
        )
    },
    ask: (question) => void open.push(question),
    reportGap: (gap) => void gaps.push(gap),
    markUnfinished: () => {
      isDone = false
    },
    warn: (text) => void warnings.push(text),
  }
}
