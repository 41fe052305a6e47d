import type { Answer } from "../../src/api/contract/answers.ts"
import { Badge, Card, Link, Load, LoadingPage, Text, TypeName } from "../parts/basics.tsx"
import { MemoryEvents } from "../parts/events.tsx"
import { shortText } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"
import { MemoryActions } from "./memory-page/actions.tsx"
import { Confidence } from "./memory-page/confidence.tsx"
import { OpenConflicts } from "./memory-page/open-conflicts.tsx"
import { Origin, Surfaced } from "./memory-page/origin.tsx"
import { Facts, Neighbours, Similar } from "./memory-page/sidebar.tsx"

/** One memory: its text, origin, confidence, uses and history. */
export function MemoryPage({ id }: { id: string }) {
  const shown = useData(`show ${id}`, () => client.show(id), ["memory.", "edge."])
  const why = useData(`why ${id}`, () => client.why(id), ["memory.", "edge."])
  const provenance = useData(`provenance ${id}`, () => client.provenance(id), ["memory.", "recall."])
  const history = useData(`history ${id}`, () => client.history(id), ["memory.", "edge."])
  const similar = useData(`similar ${id}`, () => client.similar(id, { limit: 6, allProjects: "true" }))
  if (shown.data === undefined) return <LoadingPage error={shown.error} reload={shown.reload} />
  const memory = shown.data
  return (
    <div className="page">
      <p className="crumbs">
        <Link to="/memory">Memory</Link> / <span className="mono">{memory.id}</span>
      </p>
      <div className="columns">
        <div className="stack">
          <Card>
            <div className="row-line small">
              <TypeName type={memory.type} />
              <Status memory={memory} />
              {memory.label ? <Badge>{memory.label}</Badge> : null}
            </div>
            <h1 className="memory-title">
              <Text text={memory.content} className="memory-text" />
            </h1>
            <Steps memory={memory} />
            <MemoryActions memory={memory} />
          </Card>
          <OpenConflicts id={memory.id} />
          <Origin provenance={provenance.data} memory={memory} />
          <Confidence memory={memory} provenance={provenance.data} why={why.data} error={provenance.error} />
          <Surfaced provenance={provenance.data} memory={memory} />
          <Card title="History">
            <Load from={history}>
              {({ events }) => <MemoryEvents id={memory.id} events={events.toReversed()} />}
            </Load>
          </Card>
        </div>
        <div className="stack">
          <Facts memory={memory} />
          <Neighbours why={why.data} />
          <Similar similar={similar.data} />
        </div>
      </div>
    </div>
  )
}

const tones = {
  active: "good",
  superseded: "warn",
  archived: "none",
  forgotten: "bad",
  quarantined: "warn",
} as const

function Status({ memory }: { memory: Answer<"show"> }) {
  return (
    <>
      <Badge tone={tones[memory.status]}>{memory.status}</Badge>
      {memory.status === "superseded" && memory.supersededBy ? (
        <Link to={`/memory/${memory.supersededBy}`} className="under small">
          see what replaced it
        </Link>
      ) : null}
      {memory.details.outdated ? (
        <Badge tone="warn">outdated: {shortText(memory.details.outdated.notes.join("; "), 120)}</Badge>
      ) : null}
    </>
  )
}

function Steps({ memory }: { memory: Answer<"show"> }) {
  const { steps = [], prerequisites = [], warnings = [] } = memory.details
  const lists: [string, string[]][] = [
    ["Before", prerequisites],
    ["Steps", steps],
    ["Warnings", warnings],
  ]
  return (
    <>
      {lists
        .filter(([, list]) => list.length > 0)
        .map(([title, list]) => (
          <div key={title}>
            <h2 className="small-title">{title}</h2>
            <ol>
              {list.map((step) => (
                <li key={step}>
                  <Text text={step} />
                </li>
              ))}
            </ol>
          </div>
        ))}
    </>
  )
}
