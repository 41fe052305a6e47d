import type { CycleJson } from "../../src/api/contract/tending-answers.ts"
import { Badge, Card, Empty, Head, Link, Text, Waiting, When } from "../parts/basics.tsx"
import { count, short, span } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

export const cycleTones = {
  running: "accent",
  complete: "good",
  incomplete: "warn",
  interrupted: "bad",
} as const

/** Every run of tending, newest first. */
export function Cycles() {
  const found = useData("cycles", () => client.cycles({ limit: 100 }), ["cycle."])
  return (
    <div className="page">
      <Head
        title="Cycles"
        about="Each time Reverie woke up, what it did, what that cost, and how to take it back."
      />
      {found.data === undefined ? (
        <Waiting error={found.error} reload={found.reload} />
      ) : (
        <Card>
          {found.data.cycles.length === 0 ? (
            <Empty title="No cycle has run yet.">
              It wakes by itself when there is a reason. <code>reverie wake</code> wakes it now.
            </Empty>
          ) : (
            <ul className="rows">
              {found.data.cycles.map((cycle) => (
                <li key={cycle.id}>
                  <Link to={`/cycles/${cycle.id}`} className="row" isRow>
                    <Text text={cycle.summary ?? "It is still at work."} line />
                    <CycleMeta cycle={cycle} />
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </Card>
      )}
    </div>
  )
}

export function changesOf({ receipt }: Pick<CycleJson, "receipt">): number {
  return receipt.deeds.reduce((sum, { changed }) => sum + changed, 0)
}

function CycleMeta({ cycle }: { cycle: CycleJson }) {
  const { tokens } = cycle.receipt
  const all = tokens.input + tokens.output
  return (
    <span className="meta">
      <Badge tone={cycleTones[cycle.status]}>{cycle.status}</Badge>
      <When at={cycle.startedAt} />
      <span>{cycle.trigger}</span>
      <span>{count(changesOf(cycle), "change")}</span>
      {all > 0 ? <span>{short(all)} tokens</span> : null}
      {cycle.endedAt ? <span>{span(Date.parse(cycle.endedAt) - Date.parse(cycle.startedAt))}</span> : null}
      {cycle.verdict ? <Badge>{cycle.verdict}</Badge> : null}
    </span>
  )
}
