import { Fragment, useState } from "react"
import type { Answer } from "../../src/api/contract/answers.ts"
import { Badge, Button, Card, Empty, Link, MemoryRow, Text, Waiting, When } from "../parts/basics.tsx"
import { TurnLine } from "../parts/turn.tsx"
import { count, plain, toolWord } from "../parts/words.ts"
import { useActs } from "../state/act.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

const turnsAtOnce = 200

/** One session: what was said, what came up in which turn, what was learned. */
export function SessionPage({ id }: { id: string }) {
  const [limit, setLimit] = useState(turnsAtOnce)
  const found = useData(`session ${id} ${limit}`, () => client.session(id, { limit }), ["session."])
  const surfaced = useData(`surfaced ${id}`, () => client.sessionSurfaced(id), ["recall."])
  const { act } = useActs()
  if (found.data === undefined)
    return (
      <div className="page">
        <Waiting error={found.error} reload={found.reload} />
      </div>
    )
  const { session, learned, turns, next } = found.data
  return (
    <div className="page">
      <p className="crumbs">
        <Link to="/sessions">Sessions</Link> / {toolWord(session.tool)}
      </p>
      <div className="columns">
        <div className="stack">
          <Card>
            <h1 className="memory-title session-title">
              <Text text={session.title ?? "Untitled session"} className="memory-text" />
            </h1>
            <div className="row-line small faint">
              <Badge>{toolWord(session.tool)}</Badge>
              {session.projectName ? <span>{plain(session.projectName)}</span> : null}
              {session.folder ? <span className="mono">{plain(session.folder)}</span> : null}
              {session.branch ? <span className="mono">{plain(session.branch)}</span> : null}
              <When at={session.startedAt} />
              <span>{count(session.turns, "turn")}</span>
            </div>
          </Card>
          <Card title="What was said, and what came up">
            {turns.length === 0 ? (
              <Empty title="Its words are no longer kept." />
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
          {learned.length === 0 ? (
            <Empty title="Nothing was learned from it yet.">
              {session.extractedTurns < session.turns
                ? `${session.turns - session.extractedTurns} turns are unread.`
                : null}
            </Empty>
          ) : (
            <ul className="rows">
              {learned.map((memory) => (
                <li key={memory.id}>
                  <MemoryRow
                    memory={memory}
                    meta={memory.messageIndex === null ? null : <span>turn {memory.messageIndex + 1}</span>}
                  />
                </li>
              ))}
            </ul>
          )}
          {session.extractedTurns < session.turns ? (
            <Button
              onClick={() =>
                void act(async () => void (await client.extractSession(session.id)), "It was read.").then(
                  found.reload,
                )
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

/** The turns, each with what came up while it was the last. */
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
