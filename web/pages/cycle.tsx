import type { Answer } from "../../src/api/contract/answers.ts"
import { Badge, Button, Card, Empty, Link, Text, Waiting, When } from "../parts/basics.tsx"
import { GraphEvents } from "../parts/events.tsx"
import { count, plain, short, span } from "../parts/words.ts"
import { useActs } from "../state/act.ts"
import { client } from "../state/client.ts"
import { useKeys } from "../state/keys.ts"
import { useData } from "../state/use-data.ts"
import { changesOf, cycleTones } from "./cycles.tsx"

/** One cycle: its receipt, what it changed, its transcript, and undo. */
export function Cycle({ id }: { id: string }) {
  const cycle = useData(`cycle ${id}`, () => client.cycle(id), ["cycle.", "operation."])
  const changes = useData(`changes ${id}`, () => client.cycleChanges(id), ["cycle."])
  const { act } = useActs()
  const undo = () =>
    void act(async () => void (await client.undo({ operation: id })), "All of this cycle was taken back.")
  const judge = (verdict: "approved" | "rejected") => () =>
    void act(async () => void (await client.judgeCycle(id, { verdict })), `You ${verdict} it.`)
  useKeys({ u: undo, a: judge("approved") })
  if (cycle.data === undefined)
    return (
      <div className="page">
        <Waiting error={cycle.error} reload={cycle.reload} />
      </div>
    )
  const { data } = cycle
  const isOver = data.status !== "running"
  return (
    <div className="page">
      <p className="crumbs">
        <Link to="/cycles">Cycles</Link> / <span className="mono">{data.id}</span>
      </p>
      <div className="columns">
        <div className="stack">
          <Card>
            <div className="row-line small">
              <Badge tone={cycleTones[data.status]}>{data.status}</Badge>
              <span className="faint">
                <When at={data.startedAt} /> · reason: {plain(data.trigger)}
              </span>
              {data.verdict ? <Badge tone="accent">{data.verdict}</Badge> : null}
            </div>
            <h1 className="memory-title">
              <Text text={data.summary ?? "It is still at work."} className="memory-text" />
            </h1>
            {isOver ? (
              <div className="buttons acting">
                <Button
                  kind="danger"
                  hint="u"
                  onClick={undo}
                  isOff={changesOf(data) === 0 || data.verdict === "undone"}
                >
                  Undo all of it
                </Button>
                <Button hint="a" onClick={judge("approved")} isOff={data.verdict !== null}>
                  Approve
                </Button>
                <Button onClick={judge("rejected")} isOff={data.verdict !== null}>
                  Reject
                </Button>
              </div>
            ) : null}
          </Card>
          <Changes changes={changes.data} error={changes.error} />
          <Transcript messages={data.messages} />
        </div>
        <Receipt cycle={data} />
      </div>
    </div>
  )
}

function Changes({
  changes,
  error,
}: {
  changes: Answer<"cycleChanges"> | undefined
  error: string | undefined
}) {
  if (changes === undefined) return <Waiting error={error} />
  return (
    <Card title="What it changed in the graph">
      {changes.changes.length === 0 ? (
        <Empty title="It changed nothing." />
      ) : (
        <GraphEvents events={changes.changes} />
      )}
    </Card>
  )
}

function Transcript({ messages }: Pick<Answer<"judgeCycle">, "messages">) {
  return (
    <Card title="Transcript">
      {messages.length === 0 ? (
        <Empty title="No model was asked.">Rules did the work.</Empty>
      ) : (
        messages.map(({ at, message }) => (
          <div key={`${at} ${message.role}`} className="message">
            <div className="row-line small faint">
              <Badge tone={message.role === "assistant" ? "accent" : "none"}>{message.role}</Badge>
              <When at={at} />
            </div>
            {message.role === "tool" ? (
              message.results.map((result) => (
                <details key={result.callId} className="why">
                  <summary>
                    <code>{plain(result.name)}</code> {result.isError ? "failed" : "answered"}
                  </summary>
                  <pre className="block">{plain(result.text)}</pre>
                </details>
              ))
            ) : (
              <>
                <Text text={message.text} />
                {message.role === "assistant"
                  ? message.calls.map((call) => (
                      <details key={call.id} className="why" open>
                        <summary>
                          calls <code>{plain(call.name)}</code>
                        </summary>
                        <pre className="block">{plain(JSON.stringify(call.input, null, 2))}</pre>
                      </details>
                    ))
                  : null}
              </>
            )}
          </div>
        ))
      )}
    </Card>
  )
}

function Receipt({ cycle }: { cycle: Answer<"judgeCycle"> }) {
  const { receipt } = cycle
  const took = cycle.endedAt ? span(Date.parse(cycle.endedAt) - Date.parse(cycle.startedAt)) : "not over"
  return (
    <div className="stack">
      <Card title="Receipt">
        <dl className="facts">
          <dt>Took</dt>
          <dd>{took}</dd>
          <dt>Model</dt>
          <dd>{cycle.model ?? "none"}</dd>
          <dt>Calls</dt>
          <dd>{receipt.calls}</dd>
          <dt>Tokens</dt>
          <dd>
            {short(receipt.tokens.input)} in, {short(receipt.tokens.output)} out
          </dd>
          <dt>Cost</dt>
          <dd>{receipt.costUsd === 0 ? "nothing of its own" : `$${receipt.costUsd.toFixed(4)}`}</dd>
          {receipt.windows.map(({ id, percent }) => (
            <div key={id} className="key-line">
              <dt>{id}</dt>
              <dd>{percent.toFixed(2)} % of the window</dd>
            </div>
          ))}
        </dl>
      </Card>
      <Card title="What it did">
        {receipt.deeds.length === 0 ? <p className="faint small flush">Nothing was to be done.</p> : null}
        <ul className="rows">
          {receipt.deeds.map((deed) => (
            <li key={deed.operation + deed.name}>
              <div className="row">
                {deed.name} <span className="faint small">{count(deed.changed, "change")}</span>
                {(deed.words ?? []).slice(0, 6).map((words) => (
                  <div key={words} className="small">
                    <Text text={words} line />
                  </div>
                ))}
              </div>
            </li>
          ))}
        </ul>
      </Card>
      <Notes title="Asked for" lines={receipt.requests.map(({ description }) => description)} />
      <Notes title="Saw" lines={receipt.found} />
      <Notes title="Left open" lines={receipt.open.map(({ note }) => note)} />
      <Notes title="Warnings" lines={receipt.warnings} />
    </div>
  )
}

function Notes({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <Card title={title}>
      <ul className="plain-list">
        {lines.slice(0, 20).map((line) => (
          <li key={line}>
            <Text text={line} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
