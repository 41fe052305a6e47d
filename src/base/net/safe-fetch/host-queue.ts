import { type Clock, parseTime, sleep } from "../../clock.ts"
import { FetchFailure } from "./outcome.ts"

/** The state of one host. */
interface HostState {
  /** Settles when the previous request is done. */
  turn: Promise<void>
  waiting: number
  /** When the last one ended. */
  lastAt: number
  /** No request before this moment. */
  pausedUntil: number
  /** How often in a row it answered that it is busy. */
  refusals: number
}

/** One request's turn at a host. */
interface Turn {
  /** Lets the next request run. Pass the server's Retry-After if it answered that it is busy. */
  end(refusal?: { retryAfter: string | undefined }): { retryAt: number } | undefined
}

export interface HostQueue {
  /** Waits for a turn: one request at a time for each host, with a pause in between. */
  enter(host: string, gapMs: number, signal: AbortSignal): Promise<Turn>
}

const mostHosts = 1000
const mostWaiting = 50
const firstRestMs = 60_000
const longestRestMs = 24 * 3_600_000

/** Spaces out requests to the same host, and pauses hosts that answer that they are busy. */
export function createHostQueue(clock: Clock): HostQueue {
  const hosts = new Map<string, HostState>()
  const hostOf = (name: string): HostState => {
    const known = hosts.get(name)
    if (known !== undefined) return known
    const fresh: HostState = {
      ...{ turn: Promise.resolve(), waiting: 0, refusals: 0 },
      ...{ lastAt: Number.NEGATIVE_INFINITY, pausedUntil: 0 },
    }
    evictOldest(hosts, clock.now())
    hosts.set(name, fresh)
    return fresh
  }
  return {
    async enter(name, gapMs, signal) {
      const host = hostOf(name)
      requireAvailable(clock, name, host)
      host.waiting += 1
      const before = host.turn
      let leave = () => {}
      host.turn = new Promise((resolve) => {
        leave = resolve
      })
      try {
        await settledOrAborted(before, signal)
        // A clock that was set back must not prolong the pause.
        const pause = Math.min(gapMs, host.lastAt + gapMs - clock.now())
        if (pause > 0) await sleep(clock, pause, signal)
        if (signal.aborted) throw new FetchFailure("stopped", "it was stopped")
        requireAvailable(clock, name, host)
      } catch (error) {
        host.waiting -= 1
        void before.then(leave)
        throw error
      }
      return {
        end(refusal) {
          host.waiting -= 1
          host.lastAt = clock.now()
          if (refusal === undefined) host.refusals = 0
          else pauseHost(clock, host, refusal.retryAfter)
          leave()
          return refusal && { retryAt: host.pausedUntil }
        },
      }
    },
  }
}

function requireAvailable(clock: Clock, name: string, host: HostState): void {
  const left = host.pausedUntil - clock.now()
  if (left > 0 && left <= longestRestMs)
    throw new FetchFailure("busy", `${name} asked for a pause`, {
      retryAt: host.pausedUntil,
    })
  if (host.waiting >= mostWaiting)
    throw new FetchFailure("busy", `too many requests already wait for ${name}`, {
      retryAt: clock.now() + 60_000,
    })
}

function pauseHost(clock: Clock, host: HostState, retryAfter: string | undefined): void {
  host.refusals += 1
  const now = clock.now()
  const own = firstRestMs * 2 ** Math.min(12, host.refusals - 1)
  const wanted = readRetryAfter(retryAfter, now) ?? own
  host.pausedUntil = now + Math.min(longestRestMs, Math.max(1000, wanted))
}

/** Parses seconds or a date into milliseconds from now. */
export function readRetryAfter(text: string | undefined, now: number): number | undefined {
  const trimmed = text?.trim().slice(0, 60) ?? ""
  if (/^\d{1,9}(?:\.\d+)?$/.test(trimmed)) return Number(trimmed) * 1000
  const at = /\d{4}/.test(trimmed) ? parseTime(trimmed) : undefined
  return at === undefined ? undefined : at - now
}

/** Drops the oldest host that is neither paused nor in use; if there is none, the oldest. */
function evictOldest(hosts: Map<string, HostState>, now: number): void {
  if (hosts.size < mostHosts) return
  for (const [name, { waiting, pausedUntil: restsUntil }] of hosts) {
    if (waiting > 0 || restsUntil > now) continue
    hosts.delete(name)
    return
  }
  const [oldest] = hosts.keys()
  if (oldest !== undefined) hosts.delete(oldest)
}

function settledOrAborted(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true })
    if (signal.aborted) resolve()
    void wait.then(resolve)
  })
}
