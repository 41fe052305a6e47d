import { communityKey } from "../../../src/chat/conversation/state.ts"
import type { InitiativeStore } from "../../../src/chat/initiative/store.ts"
import type { ChatStore } from "../../../src/chat/supervisor/store.ts"
import type { Database } from "../../../src/storage/database.ts"

/** One life of the program. */
export interface Mortal {
  isDead(): boolean
}

/** How many of the next calls of each store fail, and the community whose thoughts cannot be stored at all. */
export interface Crashes {
  rooms: number
  thoughts: number
  media: number
  stuck: string | null
}

/** Stores as one life sees them: they fail when told to, and after death nothing arrives. */
export function mortalRooms(store: ChatStore, life: Mortal, crashes: Crashes): ChatStore {
  return {
    ...store,
    async save(saves) {
      if (life.isDead()) return new Promise(() => {})
      failIf(crashes, "rooms")
      await store.save(saves)
    },
  }
}

/** How a disk takes its time, and who hears of what it does. */
interface Slowness {
  wait(): Promise<void> | undefined
  onFailed(community: string): void
  onStoring(community: string): () => void
}

export function mortalThoughts(
  store: InitiativeStore,
  life: Mortal,
  crashes: Crashes,
  { wait, onFailed, onStoring }: Slowness,
): InitiativeStore {
  return {
    ...store,
    async save(state, entries, at) {
      if (life.isDead()) return new Promise(() => {})
      const key = communityKey(state)
      if (crashes.thoughts > 0 || crashes.stuck === key) onFailed(key)
      failIf(crashes, "thoughts")
      if (crashes.stuck === key) throw new Error("this row cannot be written")
      const over = onStoring(key)
      await wait()
      if (life.isDead()) return new Promise(() => {})
      await store.save(state, entries, at)
      over()
    },
  }
}

export function mortalDatabase(db: Database, life: Mortal, crashes: Crashes): Database {
  return {
    ...db,
    async write(work) {
      if (life.isDead()) return new Promise(() => {})
      failIf(crashes, "media")
      return db.write(work)
    },
  }
}

function failIf(crashes: Crashes, store: "rooms" | "thoughts" | "media"): void {
  if (crashes[store] === 0) return
  crashes[store] -= 1
  throw new Error("disk full")
}
