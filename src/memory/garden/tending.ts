import { countGone, lossesLeft } from "../model/agents/losses.ts"
import { changesInWords } from "./change-words.ts"
import type { GardenDeed, GardenGap, GardenPass, OpenQuestion, Tending } from "./garden.ts"

/** What is known of a pass while it runs. */
export interface PassState extends Tending {
  deeds: GardenDeed[]
  open: OpenQuestion[]
  gaps: GardenGap[]
  warnings: string[]
  isDone(): boolean
}

/** Keeps the caps of a pass and collects what it comes to. */
export function createTending(pass: GardenPass): PassState {
  const deeds: GardenDeed[] = []
  const warnings: string[] = []
  const open: OpenQuestion[] = []
  const gaps: GardenGap[] = []
  let changedSoFar = 0
  const { losses } = pass
  let isDone = true
  const room = () => ({
    changes: Math.max(0, pass.limit - changedSoFar),
    losses: lossesLeft(losses),
  })
  return {
    deeds,
    open,
    gaps,
    warnings,
    signal: pass.signal,
    cycle: pass.cycle,
    excluded: pass.excluded ?? new Set(),
    room,
    by: () => pass.by(),
    isDone: () => isDone && !pass.signal.aborted,
    mayGoOn: () => !pass.signal.aborted && room().changes > 0,
    async done(name, { operation, memories, others = 0, words = changesInWords(memories) }, looked) {
      const gone = countGone(memories)
      const count = memories.length + others
      changedSoFar += count
      const wasWithin = lossesLeft(losses) > 0
      losses.lost += gone
      const deed = { name, operation, changed: count, lost: gone, looked, words }
      deeds.push(deed)
      await pass.onDeed?.(deed)
      if (wasWithin && lossesLeft(losses) === 0)
        warnings.push(
          `${losses.lost} memories went out of sight in this pass, which is its limit; the rest waits.`,
        )
    },
    ask: (question) => void open.push(question),
    miss: (gap) => void gaps.push(gap),
    leaveRest: () => {
      isDone = false
    },
    warn: (text) => void warnings.push(text),
  }
}
