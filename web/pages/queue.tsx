import { useState } from "react"
import { Badge, Button, Card, Empty, Head, Load, Text, When } from "../parts/basics.tsx"
import { Select, TextField } from "../parts/inputs.tsx"
import { Rows } from "../parts/lists.tsx"
import { useActions } from "../state/actions.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

/** Minutes until an item is due. */
const delays: [number, string][] = [
  [0, "in the next cycle"],
  [60, "in an hour"],
  [1440, "tomorrow"],
  [10_080, "in a week"],
]
type Priority = "low" | "normal" | "high"
const priorities: [Priority, string][] = [
  ["low", "low"],
  ["normal", "normal"],
  ["high", "high"],
]

/** The queue of tending. */
export function Queue() {
  const found = useData("queue", () => client.queue(), ["queue.", "cycle."])
  const { run } = useActions()
  return (
    <div className="page">
      <Head title="Queue" about="What Reverie will do in its next cycles, the most urgent first." />
      <div className="stack">
        <Add onAdded={found.reload} />
        <Load from={found}>
          {({ items }) => (
            <Card title="Planned">
              <Rows
                items={items}
                keyOf={({ id }) => id}
                empty={
                  <Empty title="Nothing is planned.">
                    Write a task above, or use <code>reverie queue add</code>.
                  </Empty>
                }
              >
                {(item) => (
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
                        void run(() => client.queueCancel(item.id), "Cancelled.").then(found.reload)
                      }
                    >
                      Cancel
                    </Button>
                  </div>
                )}
              </Rows>
            </Card>
          )}
        </Load>
      </div>
    </div>
  )
}

function Add({ onAdded }: { onAdded(): void }) {
  const { run } = useActions()
  const [context, setContext] = useState("")
  const [minutes, setMinutes] = useState(0)
  const [priority, setPriority] = useState<Priority>("normal")
  const add = async () => {
    if (!(await run(() => client.queueAdd({ context, minutes, priority }), "Planned."))) return
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
      <TextField
        label="What should Reverie do?"
        value={context}
        placeholder="Check whether the release notes name the new port"
        onChange={setContext}
      />
      <Select label="When" isField value={minutes} options={delays} onChange={(delay) => setMinutes(delay)} />
      <Select
        label="Priority"
        isField
        value={priority}
        options={priorities}
        onChange={(chosen) => setPriority(chosen)}
      />
      <button type="submit" className="button primary" disabled={context.trim() === ""}>
        Plan it
      </button>
    </form>
  )
}
