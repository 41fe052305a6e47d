import type { Clock } from "../../base/clock.ts"
import { commitAddress } from "./git-ignored.ts"

/** Tells the user's own e-mail address, which stands in every commit of theirs and is no secret to them. */
export interface OwnAddress {
  /** In lower case; undefined if git does not know one. */
  of(root: string | null): Promise<string | undefined>
  /** Whether a text is one of the addresses asked for so far. */
  isKnown(address: string): boolean
}

const believedMs = 60_000
const mostKept = 200

/** Opens the finder of the user's address; git is asked about the same project only now and then. */
export function openOwnAddress({ clock }: { clock: Clock }): OwnAddress {
  const known = new Map<string | null, { address: Promise<string | undefined>; until: number }>()
  const found = new Set<string>()
  return {
    isKnown: (address) => found.has(address.toLowerCase()),
    of(root) {
      const before = known.get(root)
      if (before !== undefined && before.until > clock.now()) return before.address
      if (known.size >= mostKept) known.clear()
      const address = commitAddress(root).then((one) => {
        const lower = one?.toLowerCase()
        if (lower !== undefined) found.add(lower)
        return lower
      })
      known.set(root, { address, until: clock.now() + believedMs })
      return address
    },
  }
}
