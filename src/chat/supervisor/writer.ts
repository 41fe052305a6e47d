import type { Clock } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import type { Log } from "../../base/log.ts"
import { roomKey } from "../conversation/state.ts"
import type { ChatStore, Save } from "./store.ts"

/** How long a save that nothing waits for may be delayed. */
const soonMs = 500
/** `flush` gives up after this many attempts, so that a broken store cannot block stopping. */
const mostFlushes = 5

/** Stores conversations, several in one transaction; one that cannot be stored does not block the others. */
export function openWriter({ store, clock, log }: { store: ChatStore; clock: Clock; log: Log }) {
  let pending = new Map<string, Save>()
  let waiting: { resolve(): void; reject(error: unknown): void; key: string }[] = []
  let writing: Promise<void> | undefined
  let underWay: ReadonlyMap<string, Save> = new Map()
  let cancelTimer: (() => void) | undefined

  const add = (save: Save) => {
    const key = roomKey(save.room)
    const before = pending.get(key)
    pending.set(key, before ? joined(before, save) : save)
    return key
  }
  const write = async () => {
    // Everything posted in the same tick is stored together.
    await Promise.resolve()
    cancelTimer?.()
    cancelTimer = undefined
    const [saves, settled] = [pending, waiting]
    pending = new Map()
    waiting = []
    underWay = saves
    const failed = await storeAll(saves)
    underWay = new Map()
    for (const { key, resolve, reject } of settled) {
      if (failed.has(key)) reject(failed.get(key))
      else resolve()
    }
    // Failed saves are not lost: they are stored with the next ones.
    for (const key of failed.keys()) {
      const save = saves.get(key)
      if (save) later(save)
    }
    writing = undefined
    if (waiting.length > 0) begin()
  }
  const storeAll = async (saves: ReadonlyMap<string, Save>): Promise<Map<string, unknown>> => {
    const failed = new Map<string, unknown>()
    try {
      if (saves.size > 0) await store.save([...saves.values()])
    } catch (error) {
      log.warn("Conversations could not be stored together; each is tried alone.", {
        reason: messageOf(error),
      })
      for (const [key, save] of saves) await store.save([save]).catch((reason) => failed.set(key, reason))
    }
    return failed
  }
  /** Puts a failed save back, before newer ones. */
  const later = (save: Save) => {
    const key = roomKey(save.room)
    const since = pending.get(key)
    pending.set(key, since ? joined(save, since) : save)
    cancelTimer ??= clock.after(soonMs, begin)
  }
  const begin = () => {
    writing ??= write()
  }
  return {
    /** Settles when it is stored; rejects if that fails, and is then tried again. */
    now(save: Save): Promise<void> {
      const key = add(save)
      return new Promise((resolve, reject) => {
        waiting.push({ key, resolve, reject })
        begin()
      })
    },
    /** Stores it with the next save, or a little later. */
    soon(save: Save): void {
      add(save)
      cancelTimer ??= clock.after(soonMs, begin)
    },
    /** Whether a save of a room is pending. */
    has: (key: string) => pending.has(key) || underWay.has(key),
    /** Stores what is pending. */
    async flush(): Promise<void> {
      for (let time = 0; time < mostFlushes && (pending.size > 0 || writing); time += 1) {
        begin()
        await writing
      }
    },
  }
}
export type Writer = ReturnType<typeof openWriter>

function joined(before: Save, after: Save): Save {
  const usage = { ...after.usage }
  for (const name of Object.keys(usage) as (keyof typeof usage)[]) usage[name] += before.usage[name]
  return { ...after, entries: [...before.entries, ...after.entries], usage }
}
