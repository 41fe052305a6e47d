import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import { client } from "./client.ts"

type Listener = (entry: EntryJson) => void
export type LiveState = "connecting" | "live" | "away"

const listeners = new Set<Listener>()
const stateListeners = new Set<() => void>()
let state: LiveState = "connecting"
let running: AbortController | undefined

/** Calls the listener for every new journal entry. Returns a function that stops it. */
export function onEntry(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function liveState(): LiveState {
  return state
}

/** Calls the listener when the live state changes. */
export function onLiveState(listener: () => void): () => void {
  stateListeners.add(listener)
  return () => void stateListeners.delete(listener)
}

function setState(next: LiveState): void {
  if (state === next) return
  state = next
  for (const listener of stateListeners) listener()
}

/** The time between attempts to reconnect. */
const retryMs = 2000

/** Follows the journal while the page is open, across restarts of the daemon. */
export function startLive(): void {
  if (running) return
  running = new AbortController()
  void follow(running.signal)
}

/** Stops following, as after signing out. */
export function stopLive(): void {
  running?.abort()
  running = undefined
}

async function follow(signal: AbortSignal): Promise<void> {
  let after: number | undefined
  while (!signal.aborted) {
    try {
      if (after === undefined) {
        const { entries } = await client.journal({ newest: "true", limit: 1 })
        after = entries[0]?.seq ?? 0
      }
      setState("live")
      for await (const entry of client.follow({ after }, signal)) {
        after = entry.seq
        for (const listener of listeners) listener(entry)
      }
    } catch {
      // The daemon does not answer: the page shows that, and tries again.
    }
    if (signal.aborted) return
    setState("away")
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}
