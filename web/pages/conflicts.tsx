import { useRef, useState } from "react"
import { Badge, Button, Card, Empty, Head, Text, Waiting } from "../parts/basics.tsx"
import { type Keep, keyOf, type Pair, pairWords, usePairs, useSettling } from "../parts/pairs.ts"
import { Versus } from "../parts/versus.tsx"
import { plain } from "../parts/words.ts"
import { useKeys } from "../state/keys.ts"
import { go } from "../state/router.ts"

/** Updates, contradictions and duplicates side by side; one key settles each. */
export function Conflicts({ query }: { query: URLSearchParams }) {
  const { pairs, error, reload } = usePairs()
  const { settle, isSettled } = useSettlingIn(pairs, reload)
  const [skipped, setSkipped] = useState<readonly string[]>([])
  const project = query.get("project") ?? ""
  const here = (pairs ?? []).filter((pair) => project === "" || projectsOf(pair).includes(project))
  const left = here.filter((pair) => !skipped.includes(keyOf(pair)) && !isSettled(pair))
  const [current] = left
  const decide = (keep: Keep) => current && settle(current, keep)
  const skip = () => current && setSkipped((all) => [...all, keyOf(current)])
  useKeys({ "1": () => decide("this"), "2": () => decide("other"), b: () => decide("both"), s: skip })
  if (pairs === undefined)
    return (
      <div className="page">
        <Head title="Conflicts" />
        <Waiting error={error} reload={reload} />
      </div>
    )
  return (
    <div className="page">
      <Head title="Conflicts" about={aboutText(left.length)}>
        <ByProject pairs={pairs} project={project} />
      </Head>
      <div className="stack">
        {current === undefined ? (
          <Card>
            <Empty title={here.length > 0 ? "That was the last one." : "Nothing contradicts anything."}>
              {here.length > 0 ? (
                <Button onClick={() => setSkipped([])}>Show what was skipped</Button>
              ) : (
                "When two memories cannot both be true, or say the same, they appear here side by side."
              )}
            </Empty>
          </Card>
        ) : (
          <Versus pair={current} decide={decide} skip={skip} />
        )}
        {left.length > 1 ? <Rest pairs={left.slice(1)} /> : null}
      </div>
    </div>
  )
}

/**
 * Settles pairs of a list, and hides each at once. From the first list that was asked for afterwards on, the daemon's
 * word counts again: what was taken back meanwhile is asked about once more.
 */
function useSettlingIn(pairs: readonly Pair[] | undefined, reload: () => void) {
  const settleOne = useSettling()
  const [settled, setSettled] = useState<ReadonlyMap<string, readonly Pair[] | "asking" | undefined>>(
    new Map(),
  )
  const listed = useRef(pairs)
  listed.current = pairs
  const settle = (pair: Pair, keep: Keep) => {
    const mark = (as: readonly Pair[] | "asking" | undefined) =>
      setSettled((all) => new Map([...all, [keyOf(pair), as]]))
    mark("asking")
    void settleOne(pair, keep).then((isDone) => {
      mark(isDone ? listed.current : undefined)
      reload()
    })
  }
  const isSettled = (pair: Pair) => {
    const when = settled.get(keyOf(pair))
    return when === "asking" || (when !== undefined && when === pairs)
  }
  return { settle, isSettled }
}

function aboutText(left: number): string {
  return left === 0
    ? "Updates, contradictions and duplicates that rules alone could not settle."
    : `${left} to settle. What is replaced stays in the history, and z takes a decision back.`
}

/** The projects of a pair, by their names; what holds everywhere is in none. */
function projectsOf({ memories }: Pair): string[] {
  return memories.flatMap(({ projectName }) => projectName ?? [])
}

function ByProject({ pairs, project }: { pairs: readonly Pair[]; project: string }) {
  const names = [...new Set(pairs.flatMap(projectsOf))].toSorted()
  if (names.length < 2 && project === "") return null
  return (
    <select
      aria-label="Project"
      className="slim"
      value={project}
      onChange={({ target }) =>
        go(target.value === "" ? "/conflicts" : `/conflicts?project=${encodeURIComponent(target.value)}`, {
          replace: true,
        })
      }
    >
      <option value="">All projects</option>
      {[...new Set([...names, ...(project === "" ? [] : [project])])].map((name) => (
        <option key={name} value={name}>
          {plain(name)}
        </option>
      ))}
    </select>
  )
}

function Rest({ pairs }: { pairs: readonly Pair[] }) {
  return (
    <Card title="Then">
      <ul className="rows">
        {pairs.slice(0, 10).map((pair) => (
          <li key={keyOf(pair)}>
            <div className="row">
              <Text text={pair.memories[0].content} line />
              <span className="meta">
                <Badge>{pairWords[pair.kind].name}</Badge> against
              </span>
              <Text text={pair.memories[1].content} line />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}
