import type { Clock } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { createLock, type Lock } from "../../base/lock.ts"
import type { Log } from "../../base/log.ts"
import type { Database } from "../../storage/database.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { nothingUnread, type Unread } from "../occasion.ts"
import type { RecallSession } from "../types.ts"
import type { SessionScope } from "./session-scope.ts"
import { joinStates, newState, type RecallState, readState, writeState } from "./session-state.ts"
import { keep, readKept } from "./session-store.ts"

/** A session that something happens in: its state, and what is not worth keeping over a restart. */
export interface LiveSession {
  session: RecallSession
  state: RecallState
  version: number
  unread: Unread
  /** Prompts that no look has seen yet; they may hold secrets, so they are never stored. */
  heard: string[]
  /** The latest prompts, newest last, and whether somebody who can show something told them. */
  told: readonly { text: string; wasShown: boolean }[]
  /** What the agent wrote last, to know it again. */
  outputs: readonly string[]
  /** Ids of what was shown since the last prompt. */
  shownNow: readonly string[]
  /** Grows with every change of subject. */
  subject: number
  /** The turn of the last prompt whose search is done. */
  searchedTurn: number
  /** Known after the first look. */
  scope: SessionScope | undefined
  writing: Lock
  giving: Lock
}

interface SessionsNeeds {
  db: Database
  clock: Clock
  log: Log
  install: string
}

/** The sessions in this process's memory; their number is bounded, their states are in the database. */
export interface LiveSessions {
  open(session: RecallSession): Promise<LiveSession>
  /** Writes a state in the background, with whatever else belongs to the change. */
  save(live: LiveSession, also?: (transaction: Transaction) => Promise<void>): void
  /** Forgets what is only in memory; the state stays in the database. */
  leave(live: LiveSession): void
  settled(): Promise<void>
}

const mostLive = 200

/** Makes an empty set of sessions. */
export function createLiveSessions(needs: SessionsNeeds): LiveSessions {
  const sessions = new Map<string, Promise<LiveSession>>()
  const saving = new Map<Promise<void>, string>()

  async function load(session: RecallSession): Promise<LiveSession> {
    const row = await readKept(needs.db, session.id)
    return {
      session,
      state: row ? readState(row.text) : newState(),
      version: row?.version ?? 0,
      unread: nothingUnread,
      heard: [],
      told: [],
      outputs: [],
      shownNow: [],
      subject: 0,
      searchedTurn: 0,
      scope: undefined,
      writing: createLock(),
      giving: createLock(),
    }
  }

  /** Lets go of the sessions that were silent longest and have nothing left to write. */
  function makeRoom(): void {
    const busy = new Set(saving.values())
    for (const id of sessions.keys()) {
      if (sessions.size <= mostLive) return
      if (!busy.has(id)) sessions.delete(id)
    }
  }

  async function write(live: LiveSession, also?: (transaction: Transaction) => Promise<void>): Promise<void> {
    const { session, state, version } = live
    const join = (_: string, theirs: string) => writeState(joinStates(state, readState(theirs)))
    const wanted = { text: writeState(state), version }
    const kept = await keep(needs, session.id, wanted, { at: needs.clock.now(), join, also })
    // Whoever works with the state goes on with the same object.
    if (kept.text !== wanted.text) Object.assign(state, joinStates(state, readState(kept.text)))
    live.version = kept.version
  }

  return {
    async open(session) {
      const known = sessions.get(session.id)
      const live = known ?? load(session)
      // The newest stands last.
      sessions.delete(session.id)
      sessions.set(session.id, live)
      makeRoom()
      try {
        const opened = await live
        opened.session = session
        return opened
      } catch (error) {
        sessions.delete(session.id)
        throw error
      }
    },
    save(live, also) {
      const done = live.writing
        .run(() => write(live, also))
        .catch((error) =>
          needs.log.warn("What recall knows of a session could not be kept", {
            session: live.session.id,
            reason: messageOf(error),
          }),
        )
        .finally(() => saving.delete(done))
      saving.set(done, live.session.id)
    },
    leave(live) {
      sessions.delete(live.session.id)
    },
    async settled() {
      while (saving.size > 0) await Promise.all([...saving.keys()])
    },
  }
}
