import { messageOf } from "../../base/errors.ts"
import { createLock, type Lock } from "../../base/lock.ts"
import type { InstallCore } from "../../storage/core.ts"
import type { Transaction } from "../../storage/transaction.ts"
import { noActivity, type RecentActivity } from "../occasion.ts"
import type { RecallSession } from "../types.ts"
import type { SessionScope } from "./session-scope.ts"
import { joinStates, newState, type RecallState, readState, writeState } from "./session-state.ts"
import { readRow, saveRow } from "./session-store.ts"

/** A session in use: its stored state, and what a restart may lose. */
export interface LiveSession {
  session: RecallSession
  state: RecallState
  version: number
  activity: RecentActivity
  /** Prompts that no search has read yet. They may contain secrets, so they are never stored. */
  newPrompts: string[]
  /** The latest prompts, newest last, and whether their reporter could show something to the agent. */
  seenPrompts: readonly { text: string; wasShown: boolean }[]
  /** The agent's latest outputs, to recognise repeated ones. */
  seenOutputs: readonly string[]
  /** Ids of what was shown since the last prompt. */
  shownNow: readonly string[]
  /** Grows with every change of topic. */
  topicNumber: number
  /** The turn of the last prompt whose search is done. */
  searchedTurn: number
  /** Known after the first search. */
  scope: SessionScope | undefined
  writing: Lock
  surfacing: Lock
}

/** The sessions that this process has loaded, at most 200; their states are in the database. */
export interface LiveSessions {
  open(session: RecallSession): Promise<LiveSession>
  /** Saves a state in the background; `also` writes in the same transaction. */
  save(live: LiveSession, also?: (transaction: Transaction) => Promise<void>): void
  /** Unloads a session; its state stays in the database. */
  leave(live: LiveSession): void
  settled(): Promise<void>
}

const mostLive = 200

export function createLiveSessions(needs: InstallCore): LiveSessions {
  const sessions = new Map<string, Promise<LiveSession>>()
  const saving = new Map<Promise<void>, string>()

  async function load(session: RecallSession): Promise<LiveSession> {
    const row = await readRow(needs.db, session.id)
    return {
      session,
      state: row ? readState(row.text) : newState(),
      version: row?.version ?? 0,
      activity: noActivity,
      newPrompts: [],
      seenPrompts: [],
      seenOutputs: [],
      shownNow: [],
      topicNumber: 0,
      searchedTurn: 0,
      scope: undefined,
      writing: createLock(),
      surfacing: createLock(),
    }
  }

  /** Unloads the sessions that were unused longest and have nothing left to save. */
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
    const saved = await saveRow(needs, session.id, wanted, { at: needs.clock.now(), join, also })
    // Others hold a reference to the same state object.
    if (saved.text !== wanted.text) Object.assign(state, joinStates(state, readState(saved.text)))
    live.version = saved.version
  }

  return {
    async open(session) {
      const known = sessions.get(session.id)
      const live = known ?? load(session)
      // The newest comes last.
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
          needs.log.warn("The recall state of a session could not be saved", {
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
