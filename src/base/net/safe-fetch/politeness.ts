import { type Clock, parseTime, sleep } from "../../clock.ts"
import { FetchFailure } from "./outcome.ts"

/** How the last requests to a host went. */
interface Host {
  /** Ends when the request before is done. */
  turn: Promise<void>
  waiting: number
  /** When the last one ended. */
  lastAt: number
  /** Not to be asked before this moment. */
  restsUntil: number
  /** How often in a row it said that it is too busy. */
  refusals: number
}

/** One request's turn at a host. */
interface Turn {
  /** Gives the next one its turn; with what the server said, where it said that it is too busy. */
  end(refusal?: { retryAfter: string | undefined }): { retryAt: number } | undefined
}

export interface Politeness {
  /** Waits for a turn: one request at a time, and a pause between two. */
  enter(host: string, gapMs: number, signal: AbortSignal): Promise<Turn>
}

const mostHosts = 1000
const mostWaiting = 50
const firstRestMs = 60_000
const longestRestMs = 24 * 3_600_000

/** Keeps requests to one host apart, and remembers which hosts asked to be left alone. */
export function createPoliteness(clock: Clock): Politeness {
  const hosts = new Map<string, Host>()
  const hostOf = (name: string): Host => {
    const known = hosts.get(name)
    if (known !== undefined) return known
    const fresh: Host = {
      ...{ turn: Promise.resolve(), waiting: 0, refusals: 0 },
      ...{ lastAt: Number.NEGATIVE_INFINITY, restsUntil: 0 },
    }
    forgetOldest(hosts, clock.now())
    hosts.set(name, fresh)
    return fresh
  }
  return {
    async enter(name, gapMs, signal) {
      const host = hostOf(name)
      requireOpen(clock, name, host)
      host.waiting += 1
      const before = host.turn
      let leave = () => {}
      host.turn = new Promise((resolve) => {
        leave = resolve
      })
      try {
        await aborting(before, signal)
        // A clock that was set back must not make anybody wait longer than the pause.
        const pause = Math.min(gapMs, host.lastAt + gapMs - clock.now())
        if (pause > 0) await sleep(clock, pause, signal)
        if (signal.aborted) throw new FetchFailure("stopped", "it was stopped")
        requireOpen(clock, name, host)
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
          else rest(clock, host, refusal.retryAfter)
          leave()
          return refusal && { retryAt: host.restsUntil }
        },
      }
    },
  }
}

function requireOpen(clock: Clock, name: string, host: Host): void {
  const left = host.restsUntil - clock.now()
  if (left > 0 && left <= longestRestMs)
    throw new FetchFailure("busy", `${name} asked to be left alone for a while`, { retryAt: host.restsUntil })
  if (host.waiting >= mostWaiting)
    throw new FetchFailure("busy", `too many requests already wait for ${name}`, {
      retryAt: clock.now() + 60_000,
    })
}

function rest(clock: Clock, host: Host, retryAfter: string | undefined): void {
  host.refusals += 1
  const now = clock.now()
  const own = firstRestMs * 2 ** Math.min(12, host.refusals - 1)
  const wanted = readRetryAfter(retryAfter, now) ?? own
  host.restsUntil = now + Math.min(longestRestMs, Math.max(1000, wanted))
}

/** Seconds or a date, in milliseconds from now. */
function readRetryAfter(text: string | undefined, now: number): number | undefined {
  const trimmed = text?.trim().slice(0, 60) ?? ""
  if (/^\d{1,9}$/.test(trimmed)) return Number(trimmed) * 1000
  const at = /\d{4}/.test(trimmed) ? parseTime(trimmed) : undefined
  return at === undefined ? undefined : at - now
}

/** The one that was asked longest ago goes; one that rests or is being asked stays, so that its rest holds. */
function forgetOldest(hosts: Map<string, Host>, now: number): void {
  if (hosts.size < mostHosts) return
  for (const [name, { waiting, restsUntil }] of hosts) {
    if (waiting > 0 || restsUntil > now) continue
    hosts.delete(name)
    return
  }
  const [oldest] = hosts.keys()
  if (oldest !== undefined) hosts.delete(oldest)
}

function aborting(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true })
    if (signal.aborted) resolve()
    void wait.then(resolve)
  })
}
