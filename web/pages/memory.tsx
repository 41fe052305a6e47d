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
  MemoryRow,
  Text,
  TypeWord,
  Waiting,
  When,
} from "../parts/basics.tsx"
import { Icon } from "../parts/icons.tsx"
import type { Shown, ShownMemoryType } from "../parts/types.ts"
import { count, savedWords, typeWords } from "../parts/words.ts"
import { useActs } from "../state/act.ts"
import { client } from "../state/client.ts"
import { go } from "../state/router.ts"
import { messageOf, useData } from "../state/use-data.ts"

/** Search as you type, and everything there is. */
export function Memory({ query }: { query: URLSearchParams }) {
  const text = query.get("q") ?? ""
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const onText = (next: string) => {
    const address = new URLSearchParams(query)
    if (next === "") address.delete("q")
    else address.set("q", next)
    go(`/memory${address.size > 0 ? `?${address}` : ""}`, { replace: true })
  }
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
            onChange={({ target }) => onText(target.value)}
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

function Add() {
  const { act } = useActs()
  return (
    <Ask
      title="Add a memory"
      label="One thing worth knowing, in one or two sentences"
      isLong
      action="Remember"
      onClose={() => go("/memory", { replace: true })}
      onDone={async (content) => {
        try {
          const operation = `op_${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}`
          const answer = await client.add({ content }, operation)
          if (answer.outcome === "refused") return `Not saved: ${answer.reason}`
          await act(async () => ({ operation }), savedWords(answer))
          return undefined
        } catch (error) {
          return messageOf(error)
        }
      }}
    />
  )
}

const typingMs = 60

/** What a text finds; what was found before stays until the new is there. */
function Found({ text }: { text: string }) {
  const [asked, setAsked] = useState(text)
  const [held, setHeld] = useState<{ query: string; answer: Answer<"search"> }>()
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
    if (found.data) setHeld({ query: asked, answer: found.data })
  }, [found.data, asked])
  const answer = found.data ?? held?.answer
  if (answer === undefined) return <Waiting error={found.error} />
  const sure = answer.results.filter((hit) => hit.sure)
  const unsure = answer.results.filter((hit) => !hit.sure)
  return (
    <div className="card" aria-live="polite" data-query={found.data ? asked : held?.query}>
      <p className="faint small search-line">
        {answer.results.length === 0
          ? (answer.reason ?? "Nothing found.")
          : answer.abstained
            ? "Nothing is sure. These come closest."
            : count(sure.length, "sure answer")}{" "}
        · {answer.tookMs < 10 ? answer.tookMs.toFixed(1) : Math.round(answer.tookMs)} ms
      </p>
      {answer.results.length === 0 ? (
        <Empty title="No memory answers this.">
          Try other words, or tell it: <code>reverie add</code>.
        </Empty>
      ) : (
        <ul className="rows">
          {[...sure, ...unsure].map((hit) => (
            <li key={hit.id}>
              <Hit hit={hit} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Hit({ hit }: { hit: HitJson }) {
  const percent = Math.round(hit.score * 100)
  return (
    <a
      href={`/memory/${hit.id}`}
      className="row hit"
      data-row=""
      data-sure={hit.sure}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        go(`/memory/${hit.id}`)
      }}
    >
      <span className="score" title="How likely it belongs to the answer">
        {hit.score.toFixed(2)}
        <div>
          <i style={{ width: `${percent}%` }} />
        </div>
      </span>
      <span>
        <Text text={hit.content} line />
        <span className="meta">
          <TypeWord type={hit.type} />
          {hit.via.map((way) => (
            <Badge key={way}>{way}</Badge>
          ))}
          {hit.older ? <Badge tone="warn">a newer one says otherwise</Badge> : null}
          {hit.outdated ? <Badge tone="warn">outdated</Badge> : null}
          {hit.label ? <Badge>{hit.label}</Badge> : null}
          <When at={hit.at} />
        </span>
      </span>
    </a>
  )
}

const statuses = ["active", "superseded", "archived", "forgotten", "quarantined"] as const
type Status = (typeof statuses)[number]
const statusWords: Record<Status, string> = {
  active: "Active",
  superseded: "Replaced",
  archived: "Archived",
  forgotten: "Forgotten",
  quarantined: "Waiting",
}

interface Chosen {
  status: Status
  type: ShownMemoryType | undefined
  tag: string | undefined
}

type Choose = (name: keyof Chosen, value: string | undefined) => void

/** Everything there is, by standing and kind, page by page. */
function All({ query }: { query: URLSearchParams }) {
  const chosen: Chosen = {
    status: statuses.find((one) => one === query.get("status")) ?? "active",
    type: (Object.keys(typeWords) as ShownMemoryType[]).find((one) => one === query.get("type")),
    tag: query.get("tag") ?? undefined,
  }
  const choose: Choose = (name, value) => {
    const address = new URLSearchParams(query)
    if (value === undefined) address.delete(name)
    else address.set(name, value)
    go(`/memory${address.size > 0 ? `?${address}` : ""}`, { replace: true })
  }
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
      <div className="tabs">
        {statuses.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === chosen.status}
            onClick={() => choose("status", one === "active" ? undefined : one)}
          >
            {statusWords[one]}
          </button>
        ))}
      </div>
      <select
        aria-label="Kind"
        className="slim"
        value={chosen.type ?? ""}
        onChange={({ target }) => choose("type", target.value === "" ? undefined : target.value)}
      >
        <option value="">All kinds</option>
        {Object.entries(typeWords).map(([name, word]) => (
          <option key={name} value={name}>
            {word}
          </option>
        ))}
      </select>
      {chosen.tag ? (
        <Button isTiny onClick={() => choose("tag", undefined)}>
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
  const [held, setHeld] = useState(found.data)
  useEffect(() => {
    if (found.data) setHeld(found.data)
  }, [found.data])
  const page = found.data ?? held
  if (page === undefined) return <Waiting error={found.error} reload={found.reload} />
  return (
    <div className="card">
      {page.memories.length === 0 ? <NothingHere status={chosen.status} /> : null}
      <ul className="rows">
        {page.memories.map((memory) => (
          <li key={memory.id}>
            <MemoryRow memory={memory} meta={<MemoryMeta memory={memory} />} />
          </li>
        ))}
      </ul>
      {page.next === null || limit >= mostListed ? null : (
        <div className="more-line">
          <Button onClick={() => setLimit(Math.min(mostListed, limit * 3))}>Show more</Button>
        </div>
      )}
    </div>
  )
}

/** More rows than this nobody reads; search finds the rest. */
const mostListed = 1000

function NothingHere({ status }: { status: Status }) {
  if (status !== "active") return <Empty title="Nothing here." />
  return (
    <Empty title="Nothing is remembered yet.">
      Work with your agent, or try <code>reverie add "The staging database runs on port 5433"</code>.
    </Empty>
  )
}

function MemoryMeta({ memory }: { memory: Shown }) {
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
