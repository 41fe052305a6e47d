import type { Answer } from "../../src/api/contract/answers.ts"
import { Badge, Card, Empty, Head, Link, LoadingPage, MemoryRow, Text, When } from "../parts/basics.tsx"
import { Rows } from "../parts/lists.tsx"
import { type Pair, pairKey, pairTexts, usePairs } from "../parts/pairs.ts"
import { TendingCard } from "../parts/tending-card.tsx"
import { actorName, count, shortText, toolName } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { useStatus } from "../state/status.ts"
import { useData } from "../state/use-data.ts"
import { CycleRows, changesOf } from "./cycles.tsx"

/** The last 24 hours: what was learned, what came up, what cycles did, and what needs the user. */
export function Today() {
  const today = useData("today", () => client.today(), [
    "memory.",
    "recall.",
    "cycle.",
    "permission.",
    "edge.",
  ])
  const status = useStatus()
  const { data: pairs = [] } = usePairs()
  if (today.data === undefined || status.data === undefined)
    return <LoadingPage title="Today" error={today.error ?? status.error} reload={today.reload} />
  return (
    <div className="page">
      <Head title="Today" about="The last 24 hours." />
      <div className="stack">
        <Figures today={today.data} status={status.data} pairs={pairs} />
        <div className="columns">
          <div className="stack">
            <NeedsYou needs={today.data.needsYou} pairs={pairs} />
            <Learned learned={today.data.learned} />
            <CameUp surfaced={today.data.surfaced} />
          </div>
          <div className="stack">
            <TendingCard status={status.data} />
            <LastCycles cycles={today.data.cycles} />
          </div>
        </div>
      </div>
    </div>
  )
}

interface FiguresProps {
  today: Answer<"today">
  status: Answer<"status">
  pairs: readonly Pair[]
}

function Figures({ today, status, pairs }: FiguresProps) {
  const cameUp = today.surfaced.reduce((sum, one) => sum + one.memories.length, 0)
  const { requests, notes } = today.needsYou
  const waiting = requests.length + pairs.length + notes
  return (
    <div className="figures">
      <Link to="/memory" className="figure">
        <b>{status.memory.active.toLocaleString("en-US")}</b>
        <span>memories in {count(status.memory.projects, "project")}</span>
      </Link>
      <Link to="/memory" className="figure">
        <b>{today.learned.count.toLocaleString("en-US")}</b>
        <span>learned today</span>
      </Link>
      <Link to="/sessions" className="figure">
        <b>{cameUp}</b>
        <span>came up in sessions</span>
      </Link>
      <Link
        to={requests.length > 0 ? "/inbox" : "/conflicts"}
        className={`figure ${waiting > 0 ? "alert" : ""}`}
      >
        <b>{waiting}</b>
        <span>{waiting === 1 ? "thing needs" : "things need"} you</span>
      </Link>
    </div>
  )
}

/** The conflicts page shows the rest. */
const maxPairs = 3

function NeedsYou({ needs, pairs }: { needs: Answer<"today">["needsYou"]; pairs: readonly Pair[] }) {
  const { requests, notes } = needs
  if (requests.length + pairs.length + notes === 0) return null
  return (
    <Card title="Needs you">
      <ul className="rows">
        {requests.map((request) => (
          <li key={request.id}>
            <Link to={`/inbox/${request.id}`} className="row" isRow>
              <Text text={request.description} line />
              <span className="meta">
                <Badge tone={request.urgency === "high" ? "bad" : "accent"}>permission</Badge>
                {request.projectName ? <span>{request.projectName}</span> : null}
                <span>
                  expires <When at={request.expiresAt} />
                </span>
              </span>
            </Link>
          </li>
        ))}
        {pairs.slice(0, maxPairs).map((pair) => (
          <li key={pairKey(pair)}>
            <Link to={`/memory/${pair.memories[0].id}`} className="row" isRow>
              <Text text={pair.memories[0].content} line />
              <span className="meta">
                <Badge tone="warn">{pairTexts[pair.kind].name}</Badge>
                <span>{pairTexts[pair.kind].question}</span>
              </span>
              <Text text={pair.memories[1].content} line />
            </Link>
          </li>
        ))}
        {pairs.length > maxPairs ? (
          <li>
            <Link to="/conflicts" className="row" isRow>
              {count(pairs.length - maxPairs, "more pair")} of memories to resolve.
              <span className="meta">
                <span>one key resolves each</span>
              </span>
            </Link>
          </li>
        ) : null}
        {notes > 0 ? (
          <li>
            <Link to="/memory?status=quarantined" className="row" isRow>
              {count(notes, "note")} of agents {notes === 1 ? "waits" : "wait"} for your decision.
              <span className="meta">
                <Badge tone="warn">waiting</Badge>
                <span>accept it with r, or forget it with f</span>
              </span>
            </Link>
          </li>
        ) : null}
      </ul>
    </Card>
  )
}

function Learned({ learned }: { learned: Answer<"today">["learned"] }) {
  const more = learned.count > learned.memories.length ? `All ${learned.count}` : "All memories"
  return (
    <Card title="Learned" more={{ to: "/memory", text: more }}>
      <Rows
        items={learned.memories.slice(0, 12)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="Nothing learned today yet.">
            Work with your agent, or try <code>reverie add</code>.
          </Empty>
        }
      >
        {(memory) => (
          <MemoryRow
            memory={memory}
            meta={
              <>
                <span>{memory.projectName ?? "everywhere"}</span>
                <span>{memory.source === "extracted" ? "from a session" : actorName(memory.by)}</span>
                <When at={memory.savedAt} />
                {memory.status === "active" ? null : <Badge tone="warn">{memory.status}</Badge>}
              </>
            }
          />
        )}
      </Rows>
    </Card>
  )
}

function CameUp({ surfaced }: { surfaced: Answer<"today">["surfaced"] }) {
  return (
    <Card title="Came up in your sessions" more={{ to: "/sessions", text: "All sessions" }}>
      <Rows
        items={surfaced.slice(0, 8)}
        keyOf={({ session, at }) => `${session} ${at}`}
        empty={
          <Empty title="Nothing came up today yet.">
            Memories come up in sessions once an agent is connected: <code>reverie connect --all</code>.
          </Empty>
        }
      >
        {(one) => (
          <div className="row">
            {one.memories.map(({ id, content }) => (
              <Link key={id} to={`/memory/${id}`} className="came-up-line" isRow>
                <Text text={content} line />
              </Link>
            ))}
            <span className="meta">
              <Badge>{toolName(one.tool)}</Badge>
              {one.projectName ? <span>{one.projectName}</span> : null}
              {one.isKept ? (
                <Link to={`/sessions/${encodeURIComponent(one.session)}`} className="under">
                  {one.title ? shortText(one.title, 60) : "the session"}
                </Link>
              ) : null}
              <When at={one.at} />
            </span>
          </div>
        )}
      </Rows>
    </Card>
  )
}

function LastCycles({ cycles }: { cycles: Answer<"today">["cycles"] }) {
  return (
    <Card title="Last cycles" more={{ to: "/cycles", text: "All cycles" }}>
      <CycleRows
        cycles={cycles}
        empty={<Empty title="No cycle ran today.">Reverie wakes when there is a reason.</Empty>}
        meta={(cycle) => (
          <span className="meta">
            <When at={cycle.startedAt} />
            <span>{count(changesOf(cycle), "change")}</span>
            {cycle.verdict ? <Badge>{cycle.verdict}</Badge> : null}
          </span>
        )}
      />
    </Card>
  )
}
