import { messageOf } from "../base/errors.ts"
import type { Random } from "../base/random.ts"
import { type Briefs, createBriefs } from "./brief/briefs.ts"
import { createBreaker } from "./choose/breaker.ts"
import type { LookNeeds } from "./choose/choose-memories.ts"
import { type Background, createBackground } from "./session/background.ts"
import { createLiveSessions, type LiveSession, type LiveSessions } from "./session/live-sessions.ts"
import { patientReads } from "./session/patient-reads.ts"
import { rememberingEmbedder } from "./session/remembering-embedder.ts"
import { createLooks, type Looks } from "./session/session-queue.ts"

/** What recall needs: what finding memories needs, and who this installation is. */
export interface RecallNeeds extends Omit<LookNeeds, "breaker"> {
  random: Random
  install: string
}

/** What every part of recall works with. */
export interface RecallCore extends RecallNeeds, LookNeeds {
  sessions: LiveSessions
  briefs: Briefs
  /** The searches that prompts wait for. */
  searches: Looks
  /** Looks at what an agent does, which nobody waits for. */
  looks: Looks
  /** Models that judge; a session has one at a time. */
  judging: Looks
  background: Background
  /** Finding memories for work that nobody waits for. */
  patient: LookNeeds
  /** Aborts when recall stops. */
  signal: AbortSignal
}

/** For so many sessions each kind of work is done at once. */
const atOnce = { searches: 8, looks: 4, judging: 4 }

/** Makes what recall works with. Nothing runs before something happens. */
export function createCore(given: RecallNeeds, signal: AbortSignal): RecallCore {
  const { log } = given
  const failed = (session: string, error: unknown) => {
    if (!signal.aborted) log.warn("Recall failed", { session, reason: messageOf(error) })
  }
  const queue = (most: number) =>
    createLooks({
      atOnce: most,
      onOvertaken: (session) => log.info("A look at memory was overtaken by a newer one", { session }),
      onFailed: failed,
    })
  // A prompt is embedded to know its subject and again to search for it: mostly it is the same text.
  const own = { ...given, embedder: given.embedder && rememberingEmbedder(given.embedder) }
  const breaker = createBreaker(given)
  const patient = { ...own, breaker, db: patientReads(given.db) }
  return {
    ...own,
    breaker,
    sessions: createLiveSessions(given),
    briefs: createBriefs({ ...given, db: patient.db }),
    searches: queue(atOnce.searches),
    looks: queue(atOnce.looks),
    judging: queue(atOnce.judging),
    background: createBackground((error) => failed("", error)),
    patient,
    signal,
  }
}

/** The settings that hold for a session, as far as its project is known. */
export function settingsOf({ config }: RecallCore, live: LiveSession): RecallCore["config"]["recall"] {
  return (live.scope?.config ?? config).recall
}

/** Waits for something, but not longer than a prompt may. */
export function atMost(core: RecallCore, live: LiveSession, promise: Promise<unknown>): Promise<void> {
  const ms = settingsOf(core, live).wait_ms
  if (ms === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const cancel = core.clock.after(ms, resolve)
    const done = () => {
      cancel()
      resolve()
    }
    promise.then(done, done)
  })
}

/** Settles when nothing is being prepared any more. */
export async function settled({ searches, looks, judging, background, sessions }: RecallCore): Promise<void> {
  // Each may give the others something to do.
  for (let round = 0; round < 3; round += 1) {
    await searches.settled()
    await looks.settled()
    await judging.settled()
    await background.settled()
    await sessions.settled()
  }
}
