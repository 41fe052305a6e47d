import type { Answer } from "../../src/api/contract/answers.ts"
import { useActions } from "../state/actions.ts"
import { client } from "../state/client.ts"
import { Button, Card, Link, When } from "./basics.tsx"
import { count, shortText } from "./words.ts"

/** The message after a request to wake. */
export const wakeMessage = "A cycle starts as soon as the rules allow it."

const states: Record<Answer<"status">["status"], string> = {
  running: "Working",
  scheduled: "Resting",
  paused: "Paused",
  off: "Switched off",
  stopped: "Stopped",
}

/** The state of tending: status, queue, last cycle, next wake and remaining budget. */
export function TendingCard({ status }: { status: Answer<"status"> }) {
  const { run } = useActions()
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
              {lastCycle.summary ? ` · ${shortText(lastCycle.summary, 80)}` : ""}
            </Link>
          )}
        </dd>
        <dt>Next wake</dt>
        <dd>{nextWake === null ? "not planned" : <When at={nextWake} />}</dd>
      </dl>
      <Budget budget={status.budget} />
      <div className="buttons widget-buttons">
        <Button isTiny onClick={() => void run(() => client.wake(), wakeMessage)}>
          Wake now
        </Button>
        {status.pausedUntil === null ? (
          <Button isTiny onClick={() => void run(() => client.pause({}), "Paused until you resume.")}>
            Pause
          </Button>
        ) : (
          <Button isTiny onClick={() => void run(() => client.resume(), "Resumed.")}>
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
        No model is set up, so there is no budget. See <Link to="/usage">Usage</Link>.
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

/** One limit in percent: used by the user, used by Reverie, and left. */
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
