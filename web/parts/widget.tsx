import type { Answer } from "../../src/api/contract/answers.ts"
import { useActs } from "../state/act.ts"
import { client } from "../state/client.ts"
import { messageOf } from "../state/use-data.ts"
import { Button, Card, Link, When } from "./basics.tsx"
import { count, plain } from "./words.ts"

const states: Record<Answer<"status">["status"], string> = {
  running: "Working",
  scheduled: "Resting",
  paused: "Paused",
  off: "Switched off",
  stopped: "Stopped",
}

/** How tending stands: status, queue, last cycle, next wake, and what is left of the budget. */
export function Widget({ status }: { status: Answer<"status"> }) {
  const { tell } = useActs()
  const run = (work: Promise<unknown>, done: string) =>
    work.then(
      () => tell({ text: done, tone: "good" }),
      (error: unknown) => tell({ text: messageOf(error), tone: "bad" }),
    )
  const { queue, lastCycle, nextWake } = status
  return (
    <Card title="Tending" className="widget">
      <div className="state" data-state={status.status}>
        <i />
        {states[status.status]}
      </div>
      <p className="small faint widget-reason">{status.reason}</p>
      <dl className="facts">
        <dt>Queue</dt>
        <dd>
          <Link to="/queue">{queue.count === 0 ? "empty" : count(queue.count, "item")}</Link>
        </dd>
        <dt>Last cycle</dt>
        <dd>
          {lastCycle === null ? (
            "none yet"
          ) : (
            <Link to={`/cycles/${lastCycle.id}`}>
              <When at={lastCycle.startedAt} />
              {lastCycle.summary ? ` · ${plain(lastCycle.summary).slice(0, 80)}` : ""}
            </Link>
          )}
        </dd>
        <dt>Next wake</dt>
        <dd>{nextWake === null ? "not planned" : <When at={nextWake} />}</dd>
      </dl>
      <Budget budget={status.budget} />
      <div className="buttons widget-buttons">
        <Button isTiny onClick={() => run(client.wake(), "It wakes as soon as it may.")}>
          Wake now
        </Button>
        {status.pausedUntil === null ? (
          <Button isTiny onClick={() => run(client.pause({}), "Paused until you resume.")}>
            Pause
          </Button>
        ) : (
          <Button isTiny onClick={() => run(client.resume(), "Resumed.")}>
            Resume
          </Button>
        )}
      </div>
    </Card>
  )
}

function Budget({ budget }: { budget: Answer<"status">["budget"] }) {
  if (budget === null)
    return (
      <p className="small faint">
        No model is set up, so there is no budget. <Link to="/usage">Usage</Link> tells more.
      </p>
    )
  return (
    <>
      {budget.windows.map((window) => (
        <Shares key={window.id} {...window} />
      ))}
      {budget.windows.length === 0 ? <p className="small faint">{budget.reason}</p> : null}
    </>
  )
}

interface SharesProps {
  id: string
  user: number
  ambient: number
  remaining: number
  resetsAt: string
}

/** One limit in three parts: yours, Reverie's, and what is left. */
export function Shares({ id, user, ambient, remaining, resetsAt }: SharesProps) {
  const percent = (value: number) => `${Math.round(Math.max(0, Math.min(100, value)))} %`
  return (
    <div className="budget-row">
      <div className="labels">
        <span>{id}</span>
        <span>
          resets <When at={resetsAt} />
        </span>
      </div>
      <div
        className="bar"
        role="img"
        aria-label={`${id}: you ${percent(user)}, Reverie ${percent(ambient)}, left ${percent(remaining)}`}
      >
        <i className="user" style={{ width: `${user}%` }} />
        <i className="ambient" style={{ width: `${ambient}%` }} />
      </div>
      <div className="legend small">
        <span>
          <i className="swatch-user" />
          you {percent(user)}
        </span>
        <span>
          <i className="swatch-ambient" />
          Reverie {percent(ambient)}
        </span>
        <span>
          <i className="swatch-left" />
          left {percent(remaining)}
        </span>
      </div>
    </div>
  )
}
