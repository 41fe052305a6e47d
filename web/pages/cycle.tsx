import type { Answer } from "../../src/api/contract/answers.ts"
import { Badge, Button, Card, Empty, Link, Load, LoadingPage, Text, When } from "../parts/basics.tsx"
import { GraphEvents } from "../parts/events.tsx"
import { Rows } from "../parts/lists.tsx"
import { compact, count, safeText, span } from "../parts/words.ts"
import { useActions } from "../state/actions.ts"
import { client } from "../state/client.ts"
import { useKeys } from "../state/keys.ts"
import { useData } from "../state/use-data.ts"
import { changesOf, cycleTones } from "./cycles.tsx"

/** One cycle: its receipt, its changes, its transcript, and undo. */
export function Cycle({ id }: { id: string }) {
  const cycle = useData(`cycle ${id}`, () => client.cycle(id), ["cycle.", "operation."])
  const changes = useData(`changes ${id}`, () => client.cycleChanges(id), ["cycle."])
  const { run } = useActions()
  const undo = () => void run(() => client.undo({ operation: id }), "The whole cycle was undone.")
  const judge = (verdict: "approved" | "rejected") => () =>
    void run(() => client.judgeCycle(id, { verdict }), `You ${verdict} it.`)
  const over = cycle.data?.status === "running" ? undefined : cycle.data
  const mayUndo = over !== undefined && changesOf(over) > 0 && over.verdict !== "undone"
  const mayJudge = over?.verdict === null
  useKeys({ ...(mayUndo ? { u: undo } : {}), ...(mayJudge ? { a: judge("approved") } : {}) })
  if (cycle.data === undefined) return <LoadingPage error={cycle.error} reload={cycle.reload} />
  const { data } = cycle
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
                <When at={data.startedAt} /> · reason: {safeText(data.trigger)}
              </span>
              {data.verdict ? <Badge tone="accent">{data.verdict}</Badge> : null}
            </div>
            <h1 className="memory-title">
              <Text text={data.summary ?? "It is still running."} className="memory-text" />
            </h1>
            {over ? (
              <div className="buttons acting">
                <Button kind="danger" hint="u" onClick={undo} isOff={!mayUndo}>
                  Undo all of it
                </Button>
                <Button hint="a" onClick={judge("approved")} isOff={!mayJudge}>
                  Approve
                </Button>
                <Button onClick={judge("rejected")} isOff={!mayJudge}>
                  Reject
                </Button>
              </div>
            ) : null}
          </Card>
          <Load from={changes}>{(found) => <Changes {...found} />}</Load>
          <Transcript messages={data.messages} />
        </div>
        <Receipt cycle={data} />
      </div>
    </div>
  )
}

function Changes({ changes }: Answer<"cycleChanges">) {
  return (
    <Card title="What it changed in the graph">
      {changes.length === 0 ? <Empty title="It changed nothing." /> : <GraphEvents events={changes} />}
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
                    <code>{safeText(result.name)}</code> {result.isError ? "failed" : "answered"}
                  </summary>
                  <pre className="block">{safeText(result.text)}</pre>
                </details>
              ))
            ) : (
              <>
                <Text text={message.text} />
                {message.role === "assistant"
                  ? message.calls.map((call) => (
                      <details key={call.id} className="why" open>
                        <summary>
                          calls <code>{safeText(call.name)}</code>
                        </summary>
                        <pre className="block">{safeText(JSON.stringify(call.input, null, 2))}</pre>
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
  const took = cycle.endedAt ? span(Date.parse(cycle.endedAt) - Date.parse(cycle.startedAt)) : "still running"
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
            {compact(receipt.tokens.input)} in, {compact(receipt.tokens.output)} out
          </dd>
          <dt>Cost</dt>
          <dd>{receipt.costUsd === 0 ? "no extra cost" : `$${receipt.costUsd.toFixed(4)}`}</dd>
          {receipt.windows.map(({ id, percent }) => (
            <div key={id} className="key-line">
              <dt>{id}</dt>
              <dd>{percent.toFixed(2)} % of the window</dd>
            </div>
          ))}
        </dl>
      </Card>
      <Card title="What it did">
        <Rows
          items={receipt.deeds}
          keyOf={({ operation, name }) => operation + name}
          empty={<p className="faint small flush">There was nothing to do.</p>}
        >
          {({ name, changed, words = [] }) => (
            <div className="row">
              {name} <span className="faint small">{count(changed, "change")}</span>
              {words.slice(0, 6).map((text) => (
                <div key={text} className="small">
                  <Text text={text} line />
                </div>
              ))}
            </div>
          )}
        </Rows>
      </Card>
      <Notes title="Requested" lines={receipt.requests.map(({ description }) => description)} />
      <Notes title="Found" lines={receipt.found} />
      <Notes title="Still open" lines={receipt.open.map(({ note }) => note)} />
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
