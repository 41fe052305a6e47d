import type { Clock } from "./clock.ts"

/** Values by key that are loaded again after `ttlMs`. A full cache drops everything before it takes a new key. */
export function createExpiringCache<Key, Value>(
  { clock }: { clock: Clock },
  { ttlMs, maxEntries }: { ttlMs: number; maxEntries: number },
): { get(key: Key, load: () => Value): Value } {
  const entries = new Map<Key, { value: Value; expiresAt: number }>()
  return {
    get(key, load) {
      const cached = entries.get(key)
      if (cached !== undefined && cached.expiresAt > clock.now()) return cached.value
      if (entries.size >= maxEntries) entries.clear()
      const value = load()
      entries.set(key, { value, expiresAt: clock.now() + ttlMs })
      return value
    },
  }
}
