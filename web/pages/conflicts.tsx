import { useEffect, useState } from "react"
import { Badge, Button, Card, Empty, Head, Text, Waiting } from "../parts/basics.tsx"
import { type Keep, keyOf, type Pair, pairWords, usePairs, useSettling } from "../parts/pairs.ts"
import { Versus } from "../parts/versus.tsx"
import { plain } from "../parts/words.ts"
import { useKeys } from "../state/keys.ts"
import { go } from "../state/router.ts"

/** Updates, contradictions and duplicates side by side; one key settles each. */
export function Conflicts({ query }: { query: URLSearchParams }) {
  const { pairs, error, reload } = usePairs()
  const settle = useSettling()
  const [skipped, setSkipped] = useState<readonly string[]>([])
  const project = query.get("project") ?? ""
  const here = (pairs ?? []).filter((pair) => project === "" || projectsOf(pair).includes(project))
  const left = here.filter((pair) => !skipped.includes(keyOf(pair)))
  const [current] = left
  const decide = (keep: Keep) => {
    if (current === undefined) return
    const key = keyOf(current)
    setSkipped((all) => [...all, key])
    void settle(current, keep).then((isDone) => {
      if (!isDone) setSkipped((all) => all.filter((one) => one !== key))
      reload()
    })
  }
  // What was settled is gone from the list; if that is taken back, it is asked about again.
  useEffect(() => {
    const open = new Set(pairs?.map(keyOf))
    setSkipped((all) => all.filter((key) => open.has(key)))
  }, [pairs])
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
