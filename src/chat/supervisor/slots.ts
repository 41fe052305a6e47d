import { type RunKind, runKinds } from "../conversation/state.ts"

export interface SlotSizes {
  answers: number
  others: number
}

type Lane = keyof SlotSizes

/** Opens slots for asking models. Answers have their own, which nothing else takes. Within its lane the most pressing kind comes first, then who has waited longest. */
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
    /** Calls back when there is a slot, at once if there is one; the returned function gives it, or the wish, back. */
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
    /** How many are taken, and how many wish for one. */
    use() {
      const wishes = [...waiting.values()].reduce((sum, { size }) => sum + size, 0)
      return { ...taken, waiting: wishes }
    },
  }
}
export type Slots = ReturnType<typeof openSlots>
