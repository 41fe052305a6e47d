import { Fragment, useState } from "react"
import type { Answer } from "../../src/api/contract/answers.ts"
import { Badge, Button, Card, Empty, Link, LoadingPage, MemoryRow, Text, When } from "../parts/basics.tsx"
import { Rows } from "../parts/lists.tsx"
import { TurnLine } from "../parts/turn.tsx"
import { count, safeText, toolName } from "../parts/words.ts"
import { useActions } from "../state/actions.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

const turnsAtOnce = 200

/** One session: its turns, the memories that came up in them, and what was learned. */
export function SessionPage({ id }: { id: string }) {
  const [limit, setLimit] = useState(turnsAtOnce)
  const found = useData(`session ${id} ${limit}`, () => client.session(id, { limit }), ["session."])
  const surfaced = useData(`surfaced ${id}`, () => client.sessionSurfaced(id), ["recall."])
  const { run } = useActions()
  if (found.data === undefined) return <LoadingPage error={found.error} reload={found.reload} />
  const { session, learned, turns, next } = found.data
  const unread = session.turns - session.extractedTurns
  return (
    <div className="page">
      <p className="crumbs">
        <Link to="/sessions">Sessions</Link> / {toolName(session.tool)}
      </p>
      <div className="columns">
        <div className="stack">
          <Card>
            <h1 className="memory-title session-title">
              <Text text={session.title ?? "Untitled session"} className="memory-text" />
            </h1>
            <div className="row-line small faint">
              <Badge>{toolName(session.tool)}</Badge>
              {session.projectName ? <span>{safeText(session.projectName)}</span> : null}
              {session.folder ? <span className="mono">{safeText(session.folder)}</span> : null}
              {session.branch ? <span className="mono">{safeText(session.branch)}</span> : null}
              <When at={session.startedAt} />
              <span>{count(session.turns, "turn")}</span>
            </div>
          </Card>
          <Card title="What was said, and what came up">
            {turns.length === 0 ? (
              <Empty title="Its text was deleted." />
            ) : (
              <Turns turns={turns} surfaced={surfaced.data} learned={learned} />
            )}
            {next === null ? null : (
              <div className="more-line">
                <Button onClick={() => setLimit(limit + turnsAtOnce)}>Show more turns</Button>
              </div>
            )}
          </Card>
        </div>
        <Card title="Learned here">
          <Rows
            items={learned}
            keyOf={({ id: memory }) => memory}
            empty={
              <Empty title="Nothing was learned from it yet.">
                {unread > 0 ? `${unread} turns are unread.` : null}
              </Empty>
            }
          >
            {(memory) => (
              <MemoryRow
                memory={memory}
                meta={memory.messageIndex === null ? null : <span>turn {memory.messageIndex + 1}</span>}
              />
            )}
          </Rows>
          {unread > 0 ? (
            <Button
              onClick={() =>
                void run(() => client.extractSession(session.id), "The session was read.").then(found.reload)
              }
            >
              Read it now
            </Button>
          ) : null}
        </Card>
      </div>
    </div>
  )
}

interface TurnsProps {
  turns: Answer<"session">["turns"]
  surfaced: Answer<"sessionSurfaced"> | undefined
  learned: Answer<"session">["learned"]
}

/** The turns, each with the memories that came up after it. */
function Turns({ turns, surfaced, learned }: TurnsProps) {
  const sources = new Set(learned.flatMap(({ messageIndex }) => messageIndex ?? []))
  const times = (surfaced?.surfaced ?? []).map((one) => ({ ...one, ms: Date.parse(one.at) })).toReversed()
  const lasts = turns.map(({ at }) => Date.parse(at))
  return (
    <>
      {turns.map((turn, index) => {
        const from = index === 0 ? Number.NEGATIVE_INFINITY : (lasts[index] ?? 0)
        const to = lasts[index + 1] ?? Number.POSITIVE_INFINITY
        const here = times.filter(({ ms }) => ms >= from && ms < to)
        return (
          <Fragment key={turn.position}>
            <TurnLine turn={turn} isSource={sources.has(turn.position)} />
            {here.map((one) => (
              <div key={one.at} className="came-up">
                <span className="small faint">Came up here:</span>
                {one.memories.map(({ id, content }) => (
                  <Link key={id} to={`/memory/${id}`} className="came-up-line">
                    <Text text={content} line />
                  </Link>
                ))}
              </div>
            ))}
          </Fragment>
        )
      })}
    </>
  )
}
