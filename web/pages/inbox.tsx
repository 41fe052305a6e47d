import { useState } from "react"
import type { RequestJson } from "../../src/api/contract/tending-answers.ts"
import { Badge, Card, Empty, Head, Link, Load, Loading, Text, When } from "../parts/basics.tsx"
import { Tabs } from "../parts/inputs.tsx"
import { Rows } from "../parts/lists.tsx"
import { safeText } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"
import { Outcome } from "./inbox/outcome.tsx"
import { isWaiting, Request } from "./inbox/request.tsx"

type Filter = "waiting" | "all"
const filters: [Filter, string][] = [
  ["waiting", "Waiting"],
  ["all", "All"],
]
const dayMs = 86_400_000
/** Decided requests are shown for this time, with their outcome. */
const recentMs = 2 * dayMs
const maxRecent = 5

/** The permission requests that wait for the user, and those decided lately. */
export function Inbox({ id }: { id: string | undefined }) {
  const [filter, setFilter] = useState<Filter>("waiting")
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
      <Head title="Inbox" about="Nothing here runs before you approve it. It runs once, exactly as shown.">
        <Tabs value={filter} options={filters} onChange={(next) => setFilter(next)} />
      </Head>
      <Load from={found}>
        {() => (
          <div className="stack">
            {id !== undefined && one.error ? <Loading error={one.error} /> : null}
            {shown ? <Request key={shown.id} request={shown} /> : null}
            <Others requests={requests} shown={shown} isAll={filter === "all"} />
          </div>
        )}
      </Load>
    </div>
  )
}

interface OthersProps {
  requests: readonly RequestJson[]
  shown: RequestJson | undefined
  isAll: boolean
}

/** The other waiting requests and those decided lately; or all requests. */
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
      <RecentlyDecided requests={others} />
    </>
  )
}

function List({ requests, isAlone }: { requests: readonly RequestJson[]; isAlone: boolean }) {
  return (
    <Rows
      items={requests}
      keyOf={({ id }) => id}
      empty={
        <Empty title={isAlone ? "Nothing waits for you." : "Nothing else waits."}>
          {isAlone ? "When an agent needs your permission, it asks here." : null}
        </Empty>
      }
    >
      {(request) => (
        <Link to={`/inbox/${request.id}`} className="row" isRow>
          <Text text={request.description} line />
          <span className="meta">
            <Badge tone={request.state === "pending" ? "accent" : "none"}>{request.state}</Badge>
            <span>{safeText(request.action)}</span>
            {request.projectName ? <span>{request.projectName}</span> : null}
            <When at={request.createdAt} />
          </span>
        </Link>
      )}
    </Rows>
  )
}

const tones: Partial<Record<RequestJson["state"], "good" | "bad">> = { done: "good", failed: "bad" }

/** The requests decided lately with their outcomes, the newest first. */
function RecentlyDecided({ requests }: { requests: readonly RequestJson[] }) {
  const decidedAt = ({ decision }: RequestJson) => Date.parse(decision?.at ?? "") || 0
  const recent = requests
    .filter((request) => Date.now() - decidedAt(request) < recentMs)
    .toSorted((a, b) => decidedAt(b) - decidedAt(a))
    .slice(0, maxRecent)
  if (recent.length === 0) return null
  return (
    <Card title="Decided lately">
      <Rows items={recent} keyOf={({ id }) => id}>
        {(request) => (
          <Link to={`/inbox/${request.id}`} className="row" isRow>
            <span className="row-line">
              <Badge tone={tones[request.state] ?? "none"}>{request.state}</Badge>
              <Text text={request.description} line />
            </span>
            <Outcome request={request} />
          </Link>
        )}
      </Rows>
    </Card>
  )
}
