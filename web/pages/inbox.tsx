import { useState } from "react"
import type { RequestJson } from "../../src/api/contract/tending-answers.ts"
import { Badge, Card, Empty, Head, Link, Text, Waiting, When } from "../parts/basics.tsx"
import { plain } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"
import { CameOfIt } from "./inbox/came-of-it.tsx"
import { isWaiting, Request } from "./inbox/request.tsx"

const dayMs = 86_400_000
/** What was decided stays in view so long, so that one sees what came of it. */
const latelyMs = 2 * dayMs
const mostLately = 5

/** What waits for the person: what it would do, its risks, and their word. */
export function Inbox({ id }: { id: string | undefined }) {
  const [isAll, setAll] = useState(false)
  const found = useData("inbox", () => client.inbox({ all: "true" }), ["permission."])
  const one = useData(
    `request ${id ?? ""}`,
    async () => (id === undefined ? undefined : client.request(id)),
    ["permission."],
  )
  const requests = found.data?.requests ?? []
  const shown = id === undefined ? requests.find(isWaiting) : one.data
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
          <Others requests={requests} shown={shown} isAll={isAll} />
        </div>
      )}
    </div>
  )
}

interface OthersProps {
  requests: readonly RequestJson[]
  shown: RequestJson | undefined
  isAll: boolean
}

/** What waits beside the one that is shown, and what was decided lately; or all there ever was. */
function Others({ requests, shown, isAll }: OthersProps) {
  const isAlone = shown === undefined || !isWaiting(shown)
  const others = requests.filter(({ id }) => id !== shown?.id)
  if (isAll)
    return (
      <Card title="All requests">
        <List requests={others.toReversed()} isAlone={isAlone} />
      </Card>
    )
  return (
    <>
      <Card title={isAlone ? "Waiting" : "Also waiting"}>
        <List requests={others.filter(isWaiting)} isAlone={isAlone} />
      </Card>
      <Lately requests={others} />
    </>
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

const tones: Partial<Record<RequestJson["state"], "good" | "bad">> = { done: "good", failed: "bad" }

/** What became of what was decided lately, the newest first. */
function Lately({ requests }: { requests: readonly RequestJson[] }) {
  const decidedAt = ({ decision }: RequestJson) => Date.parse(decision?.at ?? "") || 0
  const lately = requests
    .filter((request) => Date.now() - decidedAt(request) < latelyMs)
    .toSorted((a, b) => decidedAt(b) - decidedAt(a))
    .slice(0, mostLately)
  if (lately.length === 0) return null
  return (
    <Card title="Decided lately">
      <ul className="rows">
        {lately.map((request) => (
          <li key={request.id}>
            <Link to={`/inbox/${request.id}`} className="row" isRow>
              <span className="row-line">
                <Badge tone={tones[request.state] ?? "none"}>{request.state}</Badge>
                <Text text={request.description} line />
              </span>
              <CameOfIt request={request} />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
