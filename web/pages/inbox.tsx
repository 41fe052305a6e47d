import { useState } from "react"
import type { RequestJson } from "../../src/api/contract.ts"
import { Ask } from "../parts/ask.tsx"
import { Badge, Button, Card, Diff, Empty, Head, Link, Text, Waiting, When } from "../parts/basics.tsx"
import { plain } from "../parts/words.ts"
import { useActs } from "../state/act.ts"
import { client } from "../state/client.ts"
import { useKeys } from "../state/keys.ts"
import { messageOf, useData } from "../state/use-data.ts"

/** What waits for the person: what it would do, its risks, and their word. */
export function Inbox({ id }: { id: string | undefined }) {
  const [isAll, setAll] = useState(false)
  const found = useData(`inbox ${isAll}`, () => client.inbox({ all: isAll ? "true" : "false" }), [
    "permission.",
  ])
  const one = useData(
    `request ${id ?? ""}`,
    async () => (id === undefined ? undefined : client.request(id)),
    ["permission."],
  )
  const requests = found.data?.requests ?? []
  const shown = id === undefined ? requests.find(({ state }) => state === "pending") : one.data
  return (
    <div className="page">
      <Head title="Inbox" about="Nothing here is done before you say so. It is done once, exactly as shown.">
        <div className="tabs">
          <button type="button" aria-pressed={!isAll} onClick={() => setAll(false)}>
            Waiting
          </button>
          <button type="button" aria-pressed={isAll} onClick={() => setAll(true)}>
            All
          </button>
        </div>
      </Head>
      {found.data === undefined ? (
        <Waiting error={found.error} reload={found.reload} />
      ) : (
        <div className="stack">
          {id !== undefined && one.error ? <Waiting error={one.error} /> : null}
          {shown ? <Request key={shown.id} request={shown} /> : null}
          <Card title={isAll ? "All requests" : shown ? "Also waiting" : "Waiting"}>
            <List
              requests={requests.filter((request) => isAll || request.id !== shown?.id)}
              isAlone={shown === undefined}
            />
          </Card>
        </div>
      )}
    </div>
  )
}

function List({ requests, isAlone }: { requests: readonly RequestJson[]; isAlone: boolean }) {
  if (requests.length === 0)
    return (
      <Empty title={isAlone ? "Nothing waits for you." : "Nothing else waits."}>
        {isAlone ? "When an agent wants to do more than it may, it asks here." : null}
      </Empty>
    )
  return (
    <ul className="rows">
      {requests.map((request) => (
        <li key={request.id}>
          <Link to={`/inbox/${request.id}`} className="row" isRow>
            <Text text={request.description} line />
            <span className="meta">
              <Badge tone={request.state === "pending" ? "accent" : "none"}>{request.state}</Badge>
              <span>{plain(request.action)}</span>
              {request.projectName ? <span>{request.projectName}</span> : null}
              <When at={request.createdAt} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

type Doing = "respond" | "deny" | "edit" | undefined

function Request({ request }: { request: RequestJson }) {
  const { context } = request
  const isOpen = request.state === "pending" && Date.parse(request.expiresAt) > Date.now()
  return (
    <section className="card" aria-label="Permission request">
      <div className="row-line small">
        <Badge tone={request.urgency === "high" ? "bad" : "accent"}>{request.urgency} urgency</Badge>
        <span className="faint">
          {plain(request.action)} · {request.projectName ?? "no project"} · asked{" "}
          <When at={request.createdAt} /> by{" "}
          {request.askedBy.startsWith("cycle_") ? (
            <Link to={`/cycles/${request.askedBy}`} className="under">
              a cycle
            </Link>
          ) : (
            plain(request.askedBy)
          )}
        </span>
        {isOpen ? (
          <span className="faint">
            expires <When at={request.expiresAt} />
          </span>
        ) : (
          <Badge>{request.state}</Badge>
        )}
      </div>
      <h2 className="request-title">
        <Text text={request.description} className="memory-text" />
      </h2>
      <Text text={request.rationale} className="soft" />
      <Listed title="Risks" lines={context.risks} isWarning />
      <Listed title="It would do" lines={context.planned_steps} />
      <Listed title="Commands" lines={context.commands} isCode />
      <Listed title="Files" lines={context.files} isCode />
      <Said title="Then" text={context.expected_outcome} />
      <Said title="To take it back" text={context.rollback} />
      {context.diff === "" ? null : (
        <>
          <h3 className="small-title">Difference</h3>
          <Diff lines={context.diff.split("\n")} />
        </>
      )}
      {context.tests === "" ? null : (
        <details className="why">
          <summary>What the tests said</summary>
          <pre className="block">{plain(context.tests)}</pre>
        </details>
      )}
      {request.call ? (
        <details className="why">
          <summary>
            Exactly this runs: <code>{plain(request.call.tool)}</code>
          </summary>
          <pre className="block">{plain(JSON.stringify(request.call.input, null, 2))}</pre>
        </details>
      ) : null}
      {request.decision ? (
        <p className="faint small">
          {request.decision.who} decided <When at={request.decision.at} />
          {request.decision.text ? `: ${plain(request.decision.text)}` : ""}
          {request.outcome ? ` · ${plain(request.outcome)}` : ""}
        </p>
      ) : null}
      {isOpen ? <Deciding request={request} /> : null}
    </section>
  )
}

function Listed({
  title,
  lines,
  isWarning = false,
  isCode = false,
}: {
  title: string
  lines: readonly string[]
  isWarning?: boolean
  isCode?: boolean
}) {
  if (lines.length === 0) return null
  return (
    <div className={isWarning ? "notice warn listed" : "listed"}>
      <h3 className="small-title">{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{isCode ? <code>{plain(line)}</code> : <Text text={line} />}</li>
        ))}
      </ul>
    </div>
  )
}

function Said({ title, text }: { title: string; text: string }) {
  if (text === "") return null
  return (
    <div className="listed">
      <h3 className="small-title">{title}</h3>
      <Text text={text} />
    </div>
  )
}

function Deciding({ request }: { request: RequestJson }) {
  const { act, tell } = useActs()
  const [doing, setDoing] = useState<Doing>()
  const { id, digest } = request
  const common = { digest, from: "web" } as const
  const approve = () =>
    void act(async () => {
      await client.decide(id, { kind: "approve", ...common })
      return undefined
    }, "Approved. It is done once, exactly as shown.")
  useKeys(
    {
      a: approve,
      d: () => setDoing("deny"),
      r: () => setDoing("respond"),
      ...(request.call ? { e: () => setDoing("edit") } : {}),
    },
    doing === undefined,
  )
  const send =
    (decide: (text: string) => Parameters<typeof client.decide>[1], done: string) => async (text: string) => {
      try {
        await client.decide(id, decide(text))
        tell({ text: done, tone: "good" })
        return undefined
      } catch (error) {
        return messageOf(error)
      }
    }
  const close = () => setDoing(undefined)
  return (
    <>
      <div className="buttons deciding">
        <Button kind="primary" hint="a" onClick={approve}>
          Approve
        </Button>
        {request.call ? (
          <Button hint="e" onClick={() => setDoing("edit")}>
            Edit and approve
          </Button>
        ) : null}
        <Button hint="r" onClick={() => setDoing("respond")}>
          Respond
        </Button>
        <Button kind="danger" hint="d" onClick={() => setDoing("deny")}>
          Deny
        </Button>
      </div>
      {doing === "deny" ? (
        <Ask
          title="Deny"
          label="Why not? (may be empty)"
          action="Deny"
          mayBeEmpty
          onClose={close}
          onDone={send(
            (text) => ({ kind: "deny", ...common, ...(text === "" ? {} : { text }) }),
            "Denied. It is not done.",
          )}
        />
      ) : null}
      {doing === "respond" ? (
        <Ask
          title="Respond"
          label="What should it know, or do instead?"
          isLong
          action="Send"
          onClose={close}
          onDone={send(
            (text) => ({ kind: "respond", ...common, text }),
            "Your answer goes to the agent. What it asked for is not done.",
          )}
        />
      ) : null}
      {doing === "edit" && request.call ? (
        <Ask
          title="Edit and approve"
          label="What runs instead, as JSON"
          initial={JSON.stringify(request.call.input, null, 2)}
          isLong
          action="Approve this"
          onClose={close}
          onDone={async (text) => {
            try {
              return await send(
                () => ({ kind: "approve", ...common, input: JSON.parse(text) }),
                "Approved as you edited it.",
              )(text)
            } catch (error) {
              return messageOf(error)
            }
          }}
        />
      ) : null}
    </>
  )
}
