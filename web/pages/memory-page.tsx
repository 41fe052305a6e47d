import type { Answer } from "../../src/api/contract/answers.ts"
import { Badge, Card, Link, Text, TypeWord, Waiting } from "../parts/basics.tsx"
import { MemoryEvents } from "../parts/events.tsx"
import { plain } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"
import { Acting } from "./memory-page/acting.tsx"
import { Belief } from "./memory-page/belief.tsx"
import { Facts, Neighbours, Similar } from "./memory-page/beside.tsx"
import { OpenQuestions } from "./memory-page/open-questions.tsx"
import { CameUp, Origin } from "./memory-page/origin.tsx"

/** One memory: what it says, where it is from, what it stands on, what became of it. */
export function MemoryPage({ id }: { id: string }) {
  const shown = useData(`show ${id}`, () => client.show(id), ["memory.", "edge."])
  const why = useData(`why ${id}`, () => client.why(id), ["memory.", "edge."])
  const provenance = useData(`provenance ${id}`, () => client.provenance(id), ["memory.", "recall."])
  const history = useData(`history ${id}`, () => client.history(id), ["memory.", "edge."])
  const similar = useData(`similar ${id}`, () => client.similar(id, { limit: 6, allProjects: "true" }))
  if (shown.data === undefined)
    return (
      <div className="page">
        <Waiting error={shown.error} reload={shown.reload} />
      </div>
    )
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
              <TypeWord type={memory.type} />
              <Standing memory={memory} />
              {memory.label ? <Badge>{memory.label}</Badge> : null}
            </div>
            <h1 className="memory-title">
              <Text text={memory.content} className="memory-text" />
            </h1>
            <Steps memory={memory} />
            <Acting memory={memory} />
          </Card>
          <OpenQuestions id={memory.id} />
          <Origin provenance={provenance.data} memory={memory} />
          <Belief memory={memory} provenance={provenance.data} why={why.data} error={provenance.error} />
          <CameUp provenance={provenance.data} memory={memory} />
          <Card title="History">
            {history.data === undefined ? (
              <Waiting error={history.error} />
            ) : (
              <MemoryEvents id={memory.id} events={history.data.events.toReversed()} />
            )}
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

function Standing({ memory }: { memory: Answer<"show"> }) {
  return (
    <>
      <Badge tone={tones[memory.status]}>{memory.status}</Badge>
      {memory.status === "superseded" && memory.supersededBy ? (
        <Link to={`/memory/${memory.supersededBy}`} className="under small">
          see what replaced it
        </Link>
      ) : null}
      {memory.details.outdated ? (
        <Badge tone="warn">
          outdated: {memory.details.outdated.notes.map(plain).join("; ").slice(0, 120)}
        </Badge>
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
