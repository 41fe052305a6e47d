import { communityKey } from "../../../src/chat/conversation/state.ts"
import type { CommunityState, ThoughtEntry } from "../../../src/chat/initiative/community.ts"
import type { InitiativeStore } from "../../../src/chat/initiative/store.ts"

/** Thoughts kept in memory as text, as the database keeps them, with what the journal was told. */
export interface ThoughtMemory extends InitiativeStore {
  journal: (ThoughtEntry & { community: string })[]
}

export function createThoughtMemory(): ThoughtMemory {
  const states = new Map<string, string>()
  const journal: ThoughtMemory["journal"] = []
  return {
    journal,
    async all() {
      return [...states.values()].map((state): CommunityState => JSON.parse(state))
    },
    async save(state, entries) {
      const community = communityKey(state)
      states.set(community, JSON.stringify({ ...state, waiting: null, lookedAt: null }))
      journal.push(...entries.map((entry) => ({ ...entry, community })))
    },
  }
}
