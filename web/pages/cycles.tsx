import type { ReactNode } from "react"
import type { CycleJson } from "../../src/api/contract/tending-answers.ts"
import { Badge, Card, Empty, Head, Link, Load, Text, When } from "../parts/basics.tsx"
import { Rows } from "../parts/lists.tsx"
import { compact, count, span } from "../parts/words.ts"
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
        about="Each time Reverie woke up: what it did, what it cost, and how to undo it."
      />
      <Load from={found}>
        {({ cycles }) => (
          <Card>
            <CycleRows
              cycles={cycles}
              empty={
                <Empty title="No cycle has run yet.">
                  Reverie wakes when there is a reason. <code>reverie wake</code> starts a cycle now.
                </Empty>
              }
              meta={(cycle) => <CycleMeta cycle={cycle} />}
            />
          </Card>
        )}
      </Load>
    </div>
  )
}

interface CycleRowsProps {
  cycles: readonly CycleJson[]
  empty: ReactNode
  meta(cycle: CycleJson): ReactNode
}

/** A list of cycles with their summaries. */
export function CycleRows({ cycles, empty, meta }: CycleRowsProps) {
  return (
    <Rows items={cycles} keyOf={({ id }) => id} empty={empty}>
      {(cycle) => (
        <Link to={`/cycles/${cycle.id}`} className="row" isRow>
          <Text text={cycle.summary ?? "It is still running."} line />
          {meta(cycle)}
        </Link>
      )}
    </Rows>
  )
}

/** The number of changes a cycle made. */
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
      {all > 0 ? <span>{compact(all)} tokens</span> : null}
      {cycle.endedAt ? <span>{span(Date.parse(cycle.endedAt) - Date.parse(cycle.startedAt))}</span> : null}
      {cycle.verdict ? <Badge>{cycle.verdict}</Badge> : null}
    </span>
  )
}
