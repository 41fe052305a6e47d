import { newId } from "../../base/random.ts"
import type { Core } from "../../storage/core.ts"
import { appendEntries } from "../../storage/journal.ts"
import { sql } from "../../storage/sql.ts"
import type { Reader } from "../../storage/transaction.ts"
import { communityKey } from "../conversation/state.ts"
import type { CommunityState, ThoughtEntry } from "./community.ts"

export interface InitiativeStore {
  all(): Promise<CommunityState[]>
  /** Stores a community with the journal entries of the same change. */
  save(state: CommunityState, entries: readonly ThoughtEntry[], at: number): Promise<void>
}

export function openInitiativeStore({ db, random }: Pick<Core, "db" | "random">): InitiativeStore {
  return {
    all: () => storedCommunities(db),
    async save(state, entries, at) {
      const key = communityKey(state)
      // The random wait starts again after a restart.
      const kept: CommunityState = { ...state, waiting: null, lookedAt: null }
      const operation = newId(random, "op")
      await db.write(async (transaction) => {
        await transaction.run(sql`
          insert into chat_initiative (community, platform, state, updated_at)
          values (${key}, ${state.platform}, ${JSON.stringify(kept)}, ${at})
          on conflict (community) do update set state = excluded.state, updated_at = excluded.updated_at`)
        await appendEntries(
          transaction,
          entries.map(({ kind, reason, data }) => ({
            ...{ at, kind, subject: key, operation, actor: "chat", data: { reason, ...data } },
          })),
        )
      })
    },
  }
}

/** The states of all communities, by name. */
export async function storedCommunities(on: Reader): Promise<CommunityState[]> {
  const rows = await on.read<{ state: string }>(sql`select state from chat_initiative order by community`)
  return rows.map(({ state }) => JSON.parse(state)).filter((state) => state.version === 1)
}
