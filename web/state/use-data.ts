import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { liveState, onEntry, onLiveState } from "./live.ts"

/** What was asked for: not there yet, there, or why it is not. */
export interface Loaded<T> {
  data: T | undefined
  error: string | undefined
  reload(): void
}

/** Changes that come together are looked at once. */
const settleMs = 250

/**
 * Asks for something, and asks again when `key` changes or the journal tells of one of these kinds. What was there stays
 * in view meanwhile.
 */
export function useData<T>(key: string, ask: () => Promise<T>, kinds: readonly string[] = []): Loaded<T> {
  const [held, setHeld] = useState<{ key: string; data?: T; error?: string }>({ key })
  const asking = useRef(0)
  const latest = useRef(ask)
  latest.current = ask
  const reload = useCallback(() => {
    asking.current += 1
    const turn = asking.current
    latest.current().then(
      (data) => turn === asking.current && setHeld({ key, data }),
      (error: unknown) =>
        turn === asking.current &&
        setHeld((old) => ({ ...(old.key === key ? old : { key }), error: messageOf(error) })),
    )
  }, [key])
  useEffect(reload, [reload])
  const wanted = kinds.join(" ")
  useEffect(() => {
    if (wanted === "") return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onEntry(({ kind }) => {
      if (!wanted.split(" ").some((one) => kind.startsWith(one))) return
      clearTimeout(timer)
      timer = setTimeout(reload, settleMs)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [wanted, reload])
  // What was missed while the daemon was away is caught up on.
  const live = useLive()
  const before = useRef(live)
  useEffect(() => {
    if (before.current === "away" && live === "live") reload()
    before.current = live
  }, [live, reload])
  const isCurrent = held.key === key
  return { data: isCurrent ? held.data : undefined, error: isCurrent ? held.error : undefined, reload }
}

/** Whether the journal is being followed. */
export function useLive() {
  return useSyncExternalStore(onLiveState, liveState)
}

/** The sentence of anything thrown. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text === "Failed to fetch" ? "The daemon does not answer. `reverie start` starts it." : text
}
