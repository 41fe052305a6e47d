import { useState } from "react"
import { Badge, Button, Card, Empty, Head, Text, Waiting, When } from "../parts/basics.tsx"
import { useActs } from "../state/act.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

const spans: [string, number][] = [
  ["as soon as it wakes", 0],
  ["in an hour", 60],
  ["tomorrow", 1440],
  ["in a week", 10_080],
]
const priorities = ["low", "normal", "high"] as const

/** What is planned for tending. */
export function Queue() {
  const found = useData("queue", () => client.queue(), ["queue.", "cycle."])
  const { act } = useActs()
  return (
    <div className="page">
      <Head title="Queue" about="What Reverie will look at in its next cycles, the most pressing first." />
      <div className="stack">
        <Add onAdded={found.reload} />
        {found.data === undefined ? (
          <Waiting error={found.error} reload={found.reload} />
        ) : (
          <Card title="Planned">
            {found.data.items.length === 0 ? (
              <Empty title="Nothing is planned.">
                Write above what it should look at, or use <code>reverie queue add</code>.
              </Empty>
            ) : (
              <ul className="rows">
                {found.data.items.map((item) => (
                  <li key={item.id}>
                    <div className="row row-line">
                      <div className="grow">
                        <Text text={item.context} />
                        <span className="meta">
                          <Badge tone={item.priority === "high" ? "warn" : "none"}>{item.priority}</Badge>
                          <span>
                            due <When at={item.dueAt} />
                          </span>
                          <span>by {item.createdBy}</span>
                          {item.attempts > 0 ? <span>tried {item.attempts} times</span> : null}
                        </span>
                      </div>
                      <Button
                        isTiny
                        kind="danger"
                        onClick={() =>
                          void act(async () => void (await client.queueCancel(item.id)), "Cancelled.").then(
                            found.reload,
                          )
                        }
                      >
                        Cancel
                      </Button>
                    </div>
                  </li>
                ))}
              </ul>
            )}
          </Card>
        )}
      </div>
    </div>
  )
}

function Add({ onAdded }: { onAdded(): void }) {
  const { act } = useActs()
  const [context, setContext] = useState("")
  const [minutes, setMinutes] = useState(0)
  const [priority, setPriority] = useState<(typeof priorities)[number]>("normal")
  const add = async () => {
    const isDone = await act(
      async () => void (await client.queueAdd({ context, minutes, priority })),
      "Planned.",
    )
    if (!isDone) return
    setContext("")
    onAdded()
  }
  return (
    <form
      className="card queue-form"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <label className="field">
        <span>What should it look at?</span>
        <input
          type="text"
          value={context}
          placeholder="Check whether the release notes name the new port"
          onChange={({ target }) => setContext(target.value)}
        />
      </label>
      <label className="field">
        <span>When</span>
        <select value={minutes} onChange={({ target }) => setMinutes(Number(target.value))}>
          {spans.map(([word, value]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>Priority</span>
        <select value={priority} onChange={({ target }) => setPriority(target.value as typeof priority)}>
          {priorities.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <button type="submit" className="button primary" disabled={context.trim() === ""}>
        Plan it
      </button>
    </form>
  )
}
