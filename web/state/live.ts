import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import { client } from "./client.ts"

type Listener = (entry: EntryJson) => void
export type LiveState = "connecting" | "live" | "away"

const listeners = new Set<Listener>()
const stateListeners = new Set<() => void>()
let state: LiveState = "connecting"
let running: AbortController | undefined

/** Hears every entry of the journal as it is written. Returns how to stop. */
export function onEntry(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Whether the journal is being followed. */
export function liveState(): LiveState {
  return state
}

/** Hears when that changes. */
export function onLiveState(listener: () => void): () => void {
  stateListeners.add(listener)
  return () => void stateListeners.delete(listener)
}

function say(next: LiveState): void {
  if (state === next) return
  state = next
  for (const listener of stateListeners) listener()
}

/** How long to wait before the daemon is tried again. */
const retryMs = 2000

/** Follows the journal for as long as the page is open, over restarts of the daemon. */
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
      say("live")
      for await (const entry of client.follow({ after }, signal)) {
        after = entry.seq
        for (const listener of listeners) listener(entry)
      }
    } catch {
      // The daemon is away, or was never there: the page says so, and tries again.
    }
    if (signal.aborted) return
    say("away")
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}
