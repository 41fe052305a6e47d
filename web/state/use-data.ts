import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react"
import { liveState, onEntry, onLiveState } from "./live.ts"

/** Requested data: undefined until it is loaded. */
export interface Loaded<T> {
  data: T | undefined
  error: string | undefined
  reload(): void
}

/** Changes within this time cause one reload. */
const settleMs = 250

/**
 * Loads data, and loads it again when `key` changes or a journal entry of one of these kinds is written. While it reloads,
 * the previous data stays.
 */
export function useData<T>(key: string, ask: () => Promise<T>, kinds: readonly string[] = []): Loaded<T> {
  const [loaded, setLoaded] = useState<{ key: string; data?: T; error?: string }>({ key })
  const requests = useRef(0)
  const latest = useRef(ask)
  latest.current = ask
  const reload = useCallback(() => {
    requests.current += 1
    const request = requests.current
    latest.current().then(
      (data) => request === requests.current && setLoaded({ key, data }),
      (error: unknown) =>
        request === requests.current &&
        setLoaded((old) => ({ ...(old.key === key ? old : { key }), error: messageOf(error) })),
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
  // Loads what changed while the daemon did not answer.
  const live = useLive()
  const before = useRef(live)
  useEffect(() => {
    if (before.current === "away" && live === "live") reload()
    before.current = live
  }, [live, reload])
  const { data, error } = loaded.key === key ? loaded : {}
  return { data, error, reload }
}

/** Whether the page follows the journal. */
export function useLive() {
  return useSyncExternalStore(onLiveState, liveState)
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text === "Failed to fetch" ? "The daemon does not answer. `reverie start` starts it." : text
}
