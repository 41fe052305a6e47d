import type { Clock } from "../../base/clock.ts"
import { createExpiringCache } from "../../base/expiring-cache.ts"
import { commitAddress } from "./git-ignored.ts"

/** The user's own e-mail address. It is in all their commits, so it is not redacted. */
export interface OwnAddress {
  /** In lower case; undefined if git has none configured. */
  of(root: string | null): Promise<string | undefined>
  /** Whether a text is one of the addresses that `of` has returned so far. */
  isKnown(address: string): boolean
}

/** Opens the lookup, which asks git at most once a minute for each project. */
export function openOwnAddress(needs: { clock: Clock }): OwnAddress {
  const cache = createExpiringCache<string | null, Promise<string | undefined>>(needs, {
    ttlMs: 60_000,
    maxEntries: 200,
  })
  const found = new Set<string>()
  return {
    isKnown: (address) => found.has(address.toLowerCase()),
    of: (root) =>
      cache.get(root, async () => {
        const address = (await commitAddress(root))?.toLowerCase()
        if (address !== undefined) found.add(address)
        return address
      }),
  }
}
