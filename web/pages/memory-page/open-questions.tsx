import { usePairs, useSettling } from "../../parts/pairs.ts"
import { Versus } from "../../parts/versus.tsx"
import { count } from "../../parts/words.ts"
import { useKeys } from "../../state/keys.ts"

/** What a memory is held against and nobody has decided: settled here, by the same keys as among all conflicts. */
export function OpenQuestions({ id }: { id: string }) {
  const { pairs = [], reload } = usePairs(id)
  const settle = useSettling()
  const [current] = pairs
  const decide = (keep: "this" | "other" | "both") => {
    if (current) void settle(current, keep).then(reload)
  }
  useKeys(
    { "1": () => decide("this"), "2": () => decide("other"), b: () => decide("both") },
    current !== undefined,
  )
  if (current === undefined) return null
  return (
    <div>
      <Versus pair={current} decide={decide} />
      {pairs.length > 1 ? (
        <p className="faint small">{count(pairs.length - 1, "more pair")} after this one.</p>
      ) : null}
    </div>
  )
}
