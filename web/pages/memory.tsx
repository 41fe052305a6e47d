import { useEffect, useRef, useState } from "react"
import type { Answer } from "../../src/api/contract/answers.ts"
import type { HitJson } from "../../src/api/contract/memory-answers.ts"
import { Ask } from "../parts/ask.tsx"
import {
  Badge,
  Button,
  Empty,
  Head,
  Link,
  Loading,
  MemoryRow,
  Text,
  TypeName,
  When,
} from "../parts/basics.tsx"
import { Icon } from "../parts/icons.tsx"
import { Select, Tabs } from "../parts/inputs.tsx"
import { Rows } from "../parts/lists.tsx"
import { count, type MemoryJson, type MemoryType, savedMessage, typeNames } from "../parts/words.ts"
import { useActions } from "../state/actions.ts"
import { client } from "../state/client.ts"
import { go } from "../state/router.ts"
import { useData } from "../state/use-data.ts"

/** Search as you type, and a list of all memories. */
export function Memory({ query }: { query: URLSearchParams }) {
  const text = query.get("q") ?? ""
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <div className="page">
      <Head title="Memory" about="Ask in your own words. Words and meaning both count.">
        <Button kind="primary" onClick={() => go("/memory?add")}>
          Add a memory
        </Button>
      </Head>
      <div className="stack">
        <div className="search-box">
          <Icon name="search" />
          <input
            ref={field}
            id="search"
            type="search"
            aria-label="Search memories"
            placeholder="How do we deploy?"
            value={text}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setInAddress(query, "q", target.value)}
            onKeyDown={(event) => {
              if (event.key !== "ArrowDown" && event.key !== "Enter") return
              event.preventDefault()
              document.querySelector<HTMLElement>("[data-row]")?.focus()
            }}
          />
        </div>
        {text.trim() === "" ? <All query={query} /> : <Found text={text} />}
      </div>
      {query.has("add") ? <Add /> : null}
    </div>
  )
}

/** Changes one parameter of the page's address; an empty value removes it. */
function setInAddress(query: URLSearchParams, name: string, value: string): void {
  const address = new URLSearchParams(query)
  if (value === "") address.delete(name)
  else address.set(name, value)
  go(`/memory${address.size > 0 ? `?${address}` : ""}`, { replace: true })
}

function Add() {
  const { act } = useActions()
  return (
    <Ask
      title="Add a memory"
      label="One thing worth knowing, in one or two sentences"
      isLong
      action="Remember"
      onClose={() => go("/memory", { replace: true })}
      onDone={async (content) => {
        const operation = `op_${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`
        const answer = await client.add({ content }, operation)
        if (answer.outcome === "refused") return `Not saved: ${answer.reason}`
        await act(async () => ({ operation }), savedMessage(answer))
        return undefined
      }}
    />
  )
}

const typingMs = 60

/** The search results; the previous ones stay until the new ones are loaded. */
function Found({ text }: { text: string }) {
  const [asked, setAsked] = useState(text)
  const [previous, setPrevious] = useState<{ query: string; answer: Answer<"search"> }>()
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), typingMs)
    return () => clearTimeout(timer)
  }, [text])
  const found = useData(
    `search ${asked}`,
    () => client.search({ query: asked, limit: 40, allProjects: "true", typing: "true" }),
    ["memory."],
  )
  useEffect(() => {
    if (found.data) setPrevious({ query: asked, answer: found.data })
  }, [found.data, asked])
  const answer = found.data ?? previous?.answer
  if (answer === undefined) return <Loading error={found.error} />
  const sure = answer.results.filter((hit) => hit.sure)
  const unsure = answer.results.filter((hit) => !hit.sure)
  return (
    <div className="card" aria-live="polite" data-query={found.data ? asked : previous?.query}>
      <p className="faint small search-line">
        {answer.results.length === 0
          ? (answer.reason ?? "Nothing found.")
          : answer.abstained
            ? "Nothing is sure. These come closest."
            : count(sure.length, "sure answer")}{" "}
        · {answer.tookMs < 10 ? answer.tookMs.toFixed(1) : Math.round(answer.tookMs)} ms
      </p>
      <Rows
        items={[...sure, ...unsure]}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No memory answers this.">
            Try other words, or add a memory: <code>reverie add</code>.
          </Empty>
        }
      >
        {(hit) => <Hit hit={hit} />}
      </Rows>
    </div>
  )
}

function Hit({ hit }: { hit: HitJson }) {
  const percent = Math.round(hit.score * 100)
  return (
    <Link to={`/memory/${hit.id}`} className="row hit" isRow isSure={hit.sure}>
      <span className="score" title="How likely it belongs to the answer">
        {hit.score.toFixed(2)}
        <div>
          <i style={{ width: `${percent}%` }} />
        </div>
      </span>
      <span>
        <Text text={hit.content} line />
        <span className="meta">
          <TypeName type={hit.type} />
          {hit.via.map((way) => (
            <Badge key={way}>{way}</Badge>
          ))}
          {hit.older ? <Badge tone="warn">a newer memory contradicts it</Badge> : null}
          {hit.outdated ? <Badge tone="warn">outdated</Badge> : null}
          {hit.label ? <Badge>{hit.label}</Badge> : null}
          <When at={hit.at} />
        </span>
      </span>
    </Link>
  )
}

type Status = MemoryJson["status"]
const statuses: [Status, string][] = [
  ["active", "Active"],
  ["superseded", "Replaced"],
  ["archived", "Archived"],
  ["forgotten", "Forgotten"],
  ["quarantined", "Waiting"],
]
const types = Object.entries(typeNames) as [MemoryType, string][]

interface Chosen {
  status: Status
  type: MemoryType | undefined
  tag: string | undefined
}

type Choose = (name: keyof Chosen, value: string) => void

/** All memories, filtered by status, type and tag. */
function All({ query }: { query: URLSearchParams }) {
  const chosen: Chosen = {
    status: statuses.find(([status]) => status === query.get("status"))?.[0] ?? "active",
    type: types.find(([type]) => type === query.get("type"))?.[0],
    tag: query.get("tag") ?? undefined,
  }
  const choose: Choose = (name, value) => setInAddress(query, name, value)
  return (
    <>
      <Filters chosen={chosen} choose={choose} />
      <List key={JSON.stringify(chosen)} chosen={chosen} />
    </>
  )
}

function Filters({ chosen, choose }: { chosen: Chosen; choose: Choose }) {
  return (
    <div className="row-line filters">
      <Tabs
        value={chosen.status}
        options={statuses}
        onChange={(status) => choose("status", status === "active" ? "" : status)}
      />
      <Select
        label="Kind"
        value={chosen.type ?? ""}
        options={[["", "All kinds"], ...types]}
        onChange={(type) => choose("type", type)}
      />
      {chosen.tag ? (
        <Button isTiny onClick={() => choose("tag", "")}>
          #{chosen.tag} ×
        </Button>
      ) : null}
      <span className="grow" />
      <Link to="/graph" className="button plain">
        <Icon name="graph" size={16} />
        As a graph
      </Link>
    </div>
  )
}

function List({ chosen }: { chosen: Chosen }) {
  const [limit, setLimit] = useState(60)
  const filter = { ...chosen, allProjects: "true", limit } as const
  const found = useData(`list ${JSON.stringify(filter)}`, () => client.list(filter), ["memory."])
  const [previous, setPrevious] = useState(found.data)
  useEffect(() => {
    if (found.data) setPrevious(found.data)
  }, [found.data])
  const page = found.data ?? previous
  if (page === undefined) return <Loading error={found.error} reload={found.reload} />
  return (
    <div className="card">
      <Rows items={page.memories} keyOf={({ id }) => id} empty={<NothingHere status={chosen.status} />}>
        {(memory) => <MemoryRow memory={memory} meta={<MemoryMeta memory={memory} />} />}
      </Rows>
      {page.next === null || limit >= maxListed ? null : (
        <div className="more-line">
          <Button onClick={() => setLimit(Math.min(maxListed, limit * 3))}>Show more</Button>
        </div>
      )}
    </div>
  )
}

/** The list shows at most this many memories; search finds the rest. */
const maxListed = 1000

function NothingHere({ status }: { status: Status }) {
  if (status !== "active") return <Empty title="Nothing here." />
  return (
    <Empty title="There are no memories yet.">
      Work with your agent, or try <code>reverie add "The staging database runs on port 5433"</code>.
    </Empty>
  )
}

function MemoryMeta({ memory }: { memory: MemoryJson }) {
  return (
    <>
      <span>
        {memory.scope === "global"
          ? "everywhere"
          : memory.scope === "project"
            ? "one project"
            : "one session"}
      </span>
      {memory.tags.slice(0, 4).map((tag) => (
        <Badge key={tag}>#{tag}</Badge>
      ))}
      {memory.label ? <Badge>{memory.label}</Badge> : null}
      {memory.details.outdated ? <Badge tone="warn">outdated</Badge> : null}
      <When at={memory.createdAt} />
    </>
  )
}
