import { type Background, createBackground } from "../base/background.ts"
import { settledWithin } from "../base/clock.ts"
import { messageOf } from "../base/errors.ts"
import type { InstallCore } from "../storage/core.ts"
import { type Briefs, createBriefs } from "./brief/briefs.ts"
import { createBreaker } from "./choose/breaker.ts"
import type { ChoiceCore } from "./choose/choose-memories.ts"
import { cachingEmbedder } from "./session/caching-embedder.ts"
import { createLiveSessions, type LiveSession, type LiveSessions } from "./session/live-sessions.ts"
import { createSessionQueue, type SessionQueue } from "./session/session-queue.ts"
import { yieldingReads } from "./session/yielding-reads.ts"

/** What recall is opened with. */
export type RecallInput = Omit<ChoiceCore, "breaker"> & InstallCore

/** What every part of recall works with. */
export interface RecallCore extends ChoiceCore, InstallCore {
  sessions: LiveSessions
  briefs: Briefs
  /** The searches that prompts wait for. */
  searches: SessionQueue
  /** Searches for an agent's work, which nobody waits for. */
  workSearches: SessionQueue
  /** Calls of the judge; at most one at a time per session. */
  judging: SessionQueue
  background: Background
  /** For searches that nobody waits for: other sessions get their turn between its statements. */
  unhurried: ChoiceCore
  /** Aborts when recall stops. */
  signal: AbortSignal
}

/** How many sessions each queue serves at once. */
const atOnce = { searches: 8, workSearches: 4, judging: 4 }

/** Nothing runs before the first event. */
export function createCore(input: RecallInput, signal: AbortSignal): RecallCore {
  const { log } = input
  const failed = (session: string, error: unknown) => {
    if (!signal.aborted) log.warn("Recall failed", { session, reason: messageOf(error) })
  }
  const queue = (most: number) =>
    createSessionQueue({
      atOnce: most,
      onReplaced: (session) => log.info("A newer search replaced one that was waiting", { session }),
      onFailed: failed,
    })
  // A prompt is embedded to find its topic and again to search for it: mostly it is the same text.
  const own = { ...input, embedder: input.embedder && cachingEmbedder(input.embedder) }
  const breaker = createBreaker(input)
  const unhurried = { ...own, breaker, db: yieldingReads(input.db) }
  return {
    ...own,
    breaker,
    sessions: createLiveSessions(input),
    briefs: createBriefs({ ...input, db: unhurried.db }),
    searches: queue(atOnce.searches),
    workSearches: queue(atOnce.workSearches),
    judging: queue(atOnce.judging),
    background: createBackground((error) => failed("", error)),
    unhurried,
    signal,
  }
}

/** The settings of a session: its project's, once that is known. */
export function settingsOf({ config }: RecallCore, live: LiveSession): RecallCore["config"]["recall"] {
  return (live.scope?.config ?? config).recall
}

/** Waits for a promise, but at most `recall.wait_ms`. */
export function waitAtMost(core: RecallCore, live: LiveSession, promise: Promise<unknown>): Promise<void> {
  const ms = settingsOf(core, live).wait_ms
  return ms === 0 ? Promise.resolve() : settledWithin(core.clock, ms, promise)
}

/** Settles when nothing is being prepared any more. */
export async function settled(core: RecallCore): Promise<void> {
  const { searches, workSearches, judging, background, sessions } = core
  // Each may add work to the others.
  for (let round = 0; round < 3; round += 1) {
    for (const work of [searches, workSearches, judging, background, sessions]) await work.settled()
  }
}
