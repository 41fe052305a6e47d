import { type RunKind, runKinds } from "../conversation/state.ts"

export interface SlotSizes {
  answers: number
  others: number
}

type Lane = keyof SlotSizes

/** Limits concurrent model calls. Answers have their own slots; within a lane, priority decides, then the time waited. */
export function openSlots(given: SlotSizes) {
  let sizes = given
  const taken = { answers: 0, others: 0 }
  const waiting = new Map<RunKind, Set<() => void>>(runKinds.map((kind) => [kind, new Set()]))

  const laneOf = (kind: RunKind): Lane => (kind === "direct" || kind === "follow-up" ? "answers" : "others")
  const nextIn = (lane: Lane) => {
    const kind = runKinds.find((one) => laneOf(one) === lane && (waiting.get(one)?.size ?? 0) > 0)
    const [first] = kind === undefined ? [] : (waiting.get(kind) ?? [])
    return kind !== undefined && first !== undefined ? { kind, first } : undefined
  }
  const fill = (lane: Lane) => {
    for (let next = nextIn(lane); next && taken[lane] < sizes[lane]; next = nextIn(lane)) {
      waiting.get(next.kind)?.delete(next.first)
      next.first()
    }
  }
  return {
    /** Calls `begin` when a slot is free; the returned function frees the slot, or stops waiting for it. */
    take(kind: RunKind, begin: () => void): () => void {
      const lane = laneOf(kind)
      let isTaken = false
      const start = () => {
        isTaken = true
        taken[lane] += 1
        begin()
      }
      waiting.get(kind)?.add(start)
      fill(lane)
      return () => {
        waiting.get(kind)?.delete(start)
        if (!isTaken) return
        isTaken = false
        taken[lane] -= 1
        fill(lane)
      }
    },
    resize(next: SlotSizes): void {
      sizes = next
      fill("answers")
      fill("others")
    },
    /** How many slots are taken, and how many runs wait. */
    use() {
      return { ...taken, waiting: [...waiting.values()].reduce((sum, { size }) => sum + size, 0) }
    },
  }
}
export type Slots = ReturnType<typeof openSlots>
