import { useRef, useState } from "react"
import { Badge, Button, Card, Empty, Head, LoadingPage, Text } from "../parts/basics.tsx"
import { Select } from "../parts/inputs.tsx"
import { Rows } from "../parts/lists.tsx"
import { PairCard } from "../parts/pair-card.tsx"
import { type Keep, type Pair, pairKey, pairTexts, usePairs, useResolve } from "../parts/pairs.ts"
import { safeText } from "../parts/words.ts"
import { useKeys } from "../state/keys.ts"
import { go } from "../state/router.ts"

/** Updates, contradictions and duplicates side by side; one key resolves each. */
export function Conflicts({ query }: { query: URLSearchParams }) {
  const { data: pairs, error, reload } = usePairs()
  const { resolve, isResolved } = useResolveIn(pairs, reload)
  const [skipped, setSkipped] = useState<readonly string[]>([])
  const project = query.get("project") ?? ""
  const here = (pairs ?? []).filter((pair) => project === "" || projectsOf(pair).includes(project))
  const left = here.filter((pair) => !skipped.includes(pairKey(pair)) && !isResolved(pair))
  const [current] = left
  const decide = (keep: Keep) => current && resolve(current, keep)
  const skip = () => current && setSkipped((all) => [...all, pairKey(current)])
  useKeys({ "1": () => decide("this"), "2": () => decide("other"), b: () => decide("both"), s: skip })
  if (pairs === undefined) return <LoadingPage title="Conflicts" error={error} reload={reload} />
  return (
    <div className="page">
      <Head title="Conflicts" about={aboutText(left.length)}>
        <ByProject pairs={pairs} project={project} />
      </Head>
      <div className="stack">
        {current === undefined ? (
          <Card>
            <Empty title={here.length > 0 ? "That was the last one." : "There are no conflicts."}>
              {here.length > 0 ? (
                <Button onClick={() => setSkipped([])}>Show skipped pairs</Button>
              ) : (
                "When two memories cannot both be true, or say the same, they appear here side by side."
              )}
            </Empty>
          </Card>
        ) : (
          <PairCard pair={current} decide={decide} skip={skip} />
        )}
        {left.length > 1 ? <Rest pairs={left.slice(1)} /> : null}
      </div>
    </div>
  )
}

/**
 * Resolves pairs of a list, and hides each at once until the next list is loaded: a decision that was undone meanwhile
 * shows its pair again.
 */
function useResolveIn(pairs: readonly Pair[] | undefined, reload: () => void) {
  const resolveOne = useResolve()
  const [resolved, setResolved] = useState<ReadonlyMap<string, readonly Pair[] | "pending" | undefined>>(
    new Map(),
  )
  const listed = useRef(pairs)
  listed.current = pairs
  const resolve = (pair: Pair, keep: Keep) => {
    const mark = (as: readonly Pair[] | "pending" | undefined) =>
      setResolved((all) => new Map([...all, [pairKey(pair), as]]))
    mark("pending")
    void resolveOne(pair, keep).then((isDone) => {
      mark(isDone ? listed.current : undefined)
      reload()
    })
  }
  const isResolved = (pair: Pair) => {
    const when = resolved.get(pairKey(pair))
    return when === "pending" || (when !== undefined && when === pairs)
  }
  return { resolve, isResolved }
}

function aboutText(left: number): string {
  return left === 0
    ? "Updates, contradictions and duplicates that rules alone could not resolve."
    : `${left} to resolve. Replaced memories stay in the history, and z undoes a decision.`
}

/** The names of a pair's projects; global memories have none. */
function projectsOf({ memories }: Pair): string[] {
  return memories.flatMap(({ projectName }) => projectName ?? [])
}

function ByProject({ pairs, project }: { pairs: readonly Pair[]; project: string }) {
  const names = [...new Set(pairs.flatMap(projectsOf))].toSorted()
  if (names.length < 2 && project === "") return null
  const shown = [...new Set([...names, ...(project === "" ? [] : [project])])]
  return (
    <Select
      label="Project"
      value={project}
      options={[["", "All projects"], ...shown.map((name): [string, string] => [name, safeText(name)])]}
      onChange={(name) =>
        go(name === "" ? "/conflicts" : `/conflicts?project=${encodeURIComponent(name)}`, { replace: true })
      }
    />
  )
}

function Rest({ pairs }: { pairs: readonly Pair[] }) {
  return (
    <Card title="Then">
      <Rows items={pairs.slice(0, 10)} keyOf={(pair) => pairKey(pair)}>
        {(pair) => (
          <div className="row">
            <Text text={pair.memories[0].content} line />
            <span className="meta">
              <Badge>{pairTexts[pair.kind].name}</Badge> against
            </span>
            <Text text={pair.memories[1].content} line />
          </div>
        )}
      </Rows>
    </Card>
  )
}
