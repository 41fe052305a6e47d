import type { Clock } from "../../base/clock.ts"

/** The deadlines of all conversations, with one timer for the earliest. */
export interface Deadlines {
  /** Replaces the deadline of a key; null takes it away. */
  set(key: string, at: number | null): void
  stop(): void
}

interface Entry {
  at: number
  key: string
}

/** Opens them; each key is called once when its time has come, in the order of times. */
export function openDeadlines({ clock }: { clock: Clock }, onDue: (key: string) => void): Deadlines {
  const current = new Map<string, number>()
  const heap: Entry[] = []
  let cancel = () => {}
  let armedFor = Number.POSITIVE_INFINITY
  let isStopped = false

  const arm = () => {
    while (heap[0] && current.get(heap[0].key) !== heap[0].at) pop(heap)
    const at = heap[0]?.at ?? Number.POSITIVE_INFINITY
    if (at === armedFor || isStopped) return
    cancel()
    armedFor = at
    cancel = at === Number.POSITIVE_INFINITY ? () => {} : clock.after(Math.max(0, at - clock.now()), ring)
  }
  function ring(): void {
    armedFor = Number.POSITIVE_INFINITY
    const now = clock.now()
    for (let first = heap[0]; first && first.at <= now; first = heap[0]) {
      pop(heap)
      if (current.get(first.key) !== first.at) continue
      current.delete(first.key)
      onDue(first.key)
    }
    arm()
  }
  return {
    set(key, at) {
      if (at === null) current.delete(key)
      else if (current.get(key) !== at) {
        current.set(key, at)
        push(heap, { at, key })
      }
      arm()
    },
    stop() {
      isStopped = true
      cancel()
    },
  }
}

function push(heap: Entry[], entry: Entry): void {
  let child = heap.push(entry) - 1
  while (child > 0) {
    const parent = (child - 1) >> 1
    if (!isBefore(heap, child, parent)) return
    swap(heap, child, parent)
    child = parent
  }
}

function pop(heap: Entry[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  heap[0] = last
  let parent = 0
  for (;;) {
    const left = 2 * parent + 1
    let least = parent
    if (isBefore(heap, left, least)) least = left
    if (isBefore(heap, left + 1, least)) least = left + 1
    if (least === parent) return
    swap(heap, least, parent)
    parent = least
  }
}

function isBefore(heap: readonly Entry[], a: number, b: number): boolean {
  const [one, other] = [heap[a], heap[b]]
  return one !== undefined && other !== undefined && one.at < other.at
}

function swap(heap: Entry[], a: number, b: number): void {
  const [one, other] = [heap[a], heap[b]]
  if (one === undefined || other === undefined) return
  heap[a] = other
  heap[b] = one
}
