import { lazy, type ReactNode, Suspense } from "react"
import { Chat } from "./pages/chat.tsx"
import { Conflicts } from "./pages/conflicts.tsx"
import { Cycle } from "./pages/cycle.tsx"
import { Cycles } from "./pages/cycles.tsx"
import { Doctor } from "./pages/doctor.tsx"
import { Inbox } from "./pages/inbox.tsx"
import { Journal } from "./pages/journal.tsx"
import { Memory } from "./pages/memory.tsx"
import { MemoryPage } from "./pages/memory-page.tsx"
import { Queue } from "./pages/queue.tsx"
import { SessionPage } from "./pages/session.tsx"
import { Sessions } from "./pages/sessions.tsx"
import { Settings } from "./pages/settings.tsx"
import { Today } from "./pages/today.tsx"
import { Usage } from "./pages/usage.tsx"
import { Empty, Link } from "./parts/basics.tsx"
import type { Route } from "./state/router.ts"

// The WebGL code is large, and most visits do not need it.
const Graph = lazy(async () => ({ default: (await import("./graph/graph.tsx")).Graph }))

const pages: Record<string, (place: Route) => ReactNode> = {
  memory: ({ parts: [, id], query }) =>
    id === undefined ? <Memory query={query} /> : <MemoryPage key={id} id={id} />,
  graph: ({ query }) => (
    <Suspense fallback={<div className="empty">Loading the graph …</div>}>
      <Graph project={query.get("project")} />
    </Suspense>
  ),
  conflicts: ({ query }) => <Conflicts query={query} />,
  inbox: ({ parts: [, id] }) => <Inbox id={id} />,
  cycles: ({ parts: [, id] }) => (id === undefined ? <Cycles /> : <Cycle key={id} id={id} />),
  queue: () => <Queue />,
  sessions: ({ parts: [, id] }) => (id === undefined ? <Sessions /> : <SessionPage key={id} id={id} />),
  usage: () => <Usage />,
  journal: ({ query }) => <Journal query={query} />,
  chat: () => <Chat />,
  settings: () => <Settings />,
  doctor: () => <Doctor />,
}

/** The page at a route. */
export function pageAt(place: Route): ReactNode {
  const [first] = place.parts
  if (first === undefined) return <Today />
  return (
    pages[first]?.(place) ?? (
      <Empty title="There is no such page.">
        <Link to="/">Go to Today</Link>
      </Empty>
    )
  )
}
