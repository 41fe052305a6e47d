import { PairCard } from "../../parts/pair-card.tsx"
import { type Keep, usePairs, useResolve } from "../../parts/pairs.ts"
import { count } from "../../parts/words.ts"
import { useKeys } from "../../state/keys.ts"

/** The undecided conflicts of one memory, with the same keys as on the page of all conflicts. */
export function OpenConflicts({ id }: { id: string }) {
  const { data: pairs = [], reload } = usePairs(id)
  const resolve = useResolve()
  const [current] = pairs
  const decide = (keep: Keep) => {
    if (current) void resolve(current, keep).then(reload)
  }
  useKeys(
    { "1": () => decide("this"), "2": () => decide("other"), b: () => decide("both") },
    current !== undefined,
  )
  if (current === undefined) return null
  return (
    <div>
      <PairCard pair={current} decide={decide} />
      {pairs.length > 1 ? (
        <p className="faint small">{count(pairs.length - 1, "more pair")} after this one.</p>
      ) : null}
    </div>
  )
}
