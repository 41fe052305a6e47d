import { useState } from "react"
import type {
  HistoryAnswer,
  ProvenanceAnswer,
  ShowAnswer,
  SimilarAnswer,
  WhyAnswer,
} from "../../src/api/contract.ts"
import { Ask } from "../parts/ask.tsx"
import { Badge, Button, Card, Empty, Link, Text, TypeWord, Waiting, When } from "../parts/basics.tsx"
import { Curve } from "../parts/curve.tsx"
import { TurnLine } from "../parts/turn.tsx"
import { actorWord, plain, toolWord, wholeTime } from "../parts/words.ts"
import { useActs } from "../state/act.ts"
import { client } from "../state/client.ts"
import { useKeys } from "../state/keys.ts"
import { messageOf, useData } from "../state/use-data.ts"

type Doing = "edit" | "tag" | "link" | undefined

/** One memory: what it says, where it is from, what it stands on, what became of it. */
export function MemoryPage({ id }: { id: string }) {
  const shown = useData(`show ${id}`, () => client.show(id), ["memory.", "edge."])
  const why = useData(`why ${id}`, () => client.why(id), ["memory.", "edge."])
  const provenance = useData(`provenance ${id}`, () => client.provenance(id), ["memory.", "recall."])
  const history = useData(`history ${id}`, () => client.history(id), ["memory.", "edge."])
  const similar = useData(`similar ${id}`, () => client.similar(id, { limit: 6, allProjects: "true" }))
  const [doing, setDoing] = useState<Doing>()
  if (shown.data === undefined)
    return (
      <div className="page">
        <Waiting error={shown.error} reload={shown.reload} />
      </div>
    )
  const memory = shown.data
  return (
    <div className="page">
      <p className="crumbs">
        <Link to="/memory">Memory</Link> / <span className="mono">{memory.id}</span>
      </p>
      <div className="columns">
        <div className="stack">
          <Card>
            <div className="row-line small">
              <TypeWord type={memory.type} />
              <Standing memory={memory} />
              {memory.label ? <Badge>{memory.label}</Badge> : null}
            </div>
            <h1 className="memory-title">
              <Text text={memory.content} className="memory-text" />
            </h1>
            <Steps memory={memory} />
            <Acting memory={memory} doing={doing} setDoing={setDoing} />
          </Card>
          <Origin provenance={provenance.data} memory={memory} />
          <Card title="Confidence over time">
            {provenance.data ? (
              <Curve {...provenance.data.confidence} />
            ) : (
              <Waiting error={provenance.error} />
            )}
            {why.data ? <Sentences why={why.data} /> : null}
          </Card>
          <CameUp provenance={provenance.data} memory={memory} />
          <Timeline id={memory.id} history={history.data} error={history.error} />
        </div>
        <div className="stack">
          <Facts memory={memory} />
          <Neighbours why={why.data} />
          <Similar similar={similar.data} />
        </div>
      </div>
    </div>
  )
}

const tones = {
  active: "good",
  superseded: "warn",
  archived: "none",
  forgotten: "bad",
  quarantined: "warn",
} as const

function Standing({ memory }: { memory: ShowAnswer }) {
  return (
    <>
      <Badge tone={tones[memory.status]}>{memory.status}</Badge>
      {memory.status === "superseded" && memory.supersededBy ? (
        <Link to={`/memory/${memory.supersededBy}`} className="under small">
          see what replaced it
        </Link>
      ) : null}
      {memory.details.outdated ? (
        <Badge tone="warn">
          outdated: {memory.details.outdated.notes.map(plain).join("; ").slice(0, 120)}
        </Badge>
      ) : null}
    </>
  )
}

function Steps({ memory }: { memory: ShowAnswer }) {
  const { steps = [], prerequisites = [], warnings = [] } = memory.details
  const lists: [string, string[]][] = [
    ["Before", prerequisites],
    ["Steps", steps],
    ["Warnings", warnings],
  ]
  return (
    <>
      {lists
        .filter(([, list]) => list.length > 0)
        .map(([title, list]) => (
          <div key={title}>
            <h2 className="small-title">{title}</h2>
            <ol>
              {list.map((step) => (
                <li key={step}>
                  <Text text={step} />
                </li>
              ))}
            </ol>
          </div>
        ))}
    </>
  )
}

interface ActingProps {
  memory: ShowAnswer
  doing: Doing
  setDoing(next: Doing): void
}

/** What can be done with it, by button and by key. */
function Acting({ memory, doing, setDoing }: ActingProps) {
  const { act } = useActs()
  const { id } = memory
  const isAway =
    memory.status === "forgotten" || memory.status === "archived" || memory.status === "quarantined"
  const forget = () => void act(() => client.forget([id]), "Forgotten.")
  const restore = () =>
    void act(() => client.restore([id]), memory.status === "quarantined" ? "Accepted." : "Restored.")
  const rate = (rating: "helpful" | "unhelpful") =>
    void act(
      () => client.rate({ id, rating }),
      rating === "helpful" ? "Noted: it helped." : "Noted: it did not help.",
    )
  useKeys(
    {
      e: () => setDoing("edit"),
      t: () => setDoing("tag"),
      l: () => setDoing("link"),
      "+": () => rate("helpful"),
      "-": () => rate("unhelpful"),
      f: () => memory.status !== "forgotten" && forget(),
      r: () => isAway && restore(),
    },
    doing === undefined,
  )
  return (
    <>
      <div className="buttons acting">
        <Button hint="e" onClick={() => setDoing("edit")}>
          Edit
        </Button>
        {isAway ? (
          <Button hint="r" kind="primary" onClick={restore}>
            {memory.status === "quarantined" ? "Accept" : "Restore"}
          </Button>
        ) : null}
        {memory.status === "forgotten" ? null : (
          <Button hint="f" kind="danger" onClick={forget}>
            Forget
          </Button>
        )}
        <Button hint="t" onClick={() => setDoing("tag")}>
          Tag
        </Button>
        <Button hint="l" onClick={() => setDoing("link")}>
          Link
        </Button>
        <Button hint="+" onClick={() => rate("helpful")}>
          Helped
        </Button>
        <Button hint="-" onClick={() => rate("unhelpful")}>
          Did not
        </Button>
      </div>
      {doing === "edit" ? <Edit memory={memory} onClose={() => setDoing(undefined)} /> : null}
      {doing === "tag" ? <Tag memory={memory} onClose={() => setDoing(undefined)} /> : null}
      {doing === "link" ? <LinkTo memory={memory} onClose={() => setDoing(undefined)} /> : null}
    </>
  )
}

interface Asking {
  memory: ShowAnswer
  onClose(): void
}

function Edit({ memory, onClose }: Asking) {
  const { act } = useActs()
  return (
    <Ask
      title="Edit"
      label="What it says"
      initial={memory.content}
      isLong
      action="Save"
      onClose={onClose}
      onDone={async (content) => {
        try {
          const answer = await client.edit(memory.id, { content })
          if (answer.outcome === "refused" && "reason" in answer) return `Not saved: ${answer.reason}`
          await act(async () => ("operation" in answer ? answer : undefined), "Saved.")
          return undefined
        } catch (error) {
          return messageOf(error)
        }
      }}
    />
  )
}

function Tag({ memory, onClose }: Asking) {
  const { act } = useActs()
  return (
    <Ask
      title="Tags"
      label="Tags, with spaces between them"
      initial={memory.tags.join(" ")}
      action="Save"
      mayBeEmpty
      onClose={onClose}
      onDone={async (text) => {
        const wanted = text.split(/[\s,]+/).filter((tag) => tag !== "")
        const add = wanted.filter((tag) => !memory.tags.includes(tag))
        const remove = memory.tags.filter((tag) => !wanted.includes(tag))
        await act(() => client.tag({ ids: [memory.id], add, remove }), "Tagged.")
        return undefined
      }}
    />
  )
}

const linkKinds = ["relates-to", "supersedes", "contradicts", "derived-from"] as const

function LinkTo({ memory, onClose }: Asking) {
  const { act } = useActs()
  const [kind, setKind] = useState<(typeof linkKinds)[number]>("relates-to")
  return (
    <Ask
      title="Link"
      label="Words of the other memory, or its id"
      action="Link"
      onClose={onClose}
      onDone={async (text) => {
        try {
          const target = /^m_[0-9a-z]+$/.test(text) ? text : await bestMatch(text, memory.id)
          if (target === undefined) return "No memory has these words."
          await act(() => client.link({ source: memory.id, kind, target }), "Linked.")
          return undefined
        } catch (error) {
          return messageOf(error)
        }
      }}
    >
      <label className="field">
        <span>This memory …</span>
        <select value={kind} onChange={({ target }) => setKind(target.value as typeof kind)}>
          {linkKinds.map((one) => (
            <option key={one} value={one}>
              {one.replace("-", " ")}
            </option>
          ))}
        </select>
      </label>
    </Ask>
  )
}

async function bestMatch(query: string, except: string): Promise<string | undefined> {
  const { results } = await client.search({ query, limit: 5, allProjects: "true" })
  return results.find(({ id }) => id !== except)?.id
}

/** Such as "You said it in a terminal". */
function originOf({ source, history: [first] }: ShowAnswer): string {
  const who = first && actorWord(first.actor)
  if (source !== "user-stated" && source !== "user-corrected")
    return `It was ${source}${who ? `, by ${who}` : ""}`
  if (!who) return "You said it"
  return who.startsWith("you, ") ? `You said it ${who.slice(5)}` : `You said it, by ${who}`
}

function Origin({ provenance, memory }: { provenance: ProvenanceAnswer | undefined; memory: ShowAnswer }) {
  if (provenance === undefined) return null
  const { session, turns } = provenance
  return (
    <Card title="Where it comes from">
      {session === null ? (
        <p className="flush">
          {originOf(memory)}, <When at={memory.createdAt} />.
          {memory.details.context ? ` Context: ${plain(memory.details.context)}` : ""}
        </p>
      ) : (
        <>
          <p className="flush">
            {toolWord(session.tool)} ·{" "}
            <Link to={`/sessions/${encodeURIComponent(session.id)}`} className="under">
              {session.title ? plain(session.title) : "the session"}
            </Link>
            {session.projectName ? ` · ${session.projectName}` : ""} · <When at={session.startedAt} />
          </p>
          {turns.length === 0 ? (
            <p className="faint small">The words of that session are no longer kept (sessions.keep_days).</p>
          ) : (
            turns.map((turn) => <TurnLine key={turn.position} turn={turn} isSource={turn.isSource} />)
          )}
        </>
      )}
    </Card>
  )
}

function Sentences({ why }: { why: WhyAnswer }) {
  return (
    <details className="why">
      <summary>Why it is believed so far</summary>
      <ul>
        {why.sentences.map((sentence) => (
          <li key={sentence}>
            <Text text={sentence} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function CameUp({ provenance, memory }: { provenance: ProvenanceAnswer | undefined; memory: ShowAnswer }) {
  if (provenance === undefined) return null
  const { helpful = 0, unhelpful = 0 } = memory.details
  return (
    <Card title="When it came up">
      <p className="faint small flush">
        {helpful + unhelpful === 0
          ? "Nobody has said yet whether it helped."
          : `It helped ${helpful}×, and did not ${unhelpful}×.`}
      </p>
      {provenance.surfaced.length === 0 ? (
        <Empty title="It has not come up by itself yet." />
      ) : (
        <ul className="rows">
          {provenance.surfaced.map((one) => (
            <li key={`${one.session} ${one.at}`}>
              <div className="row">
                <span className="row-line">
                  <Badge>{toolWord(one.tool)}</Badge>
                  {one.isKept ? (
                    <Link to={`/sessions/${encodeURIComponent(one.session)}`} className="under">
                      {one.title ? plain(one.title).slice(0, 80) : "the session"}
                    </Link>
                  ) : (
                    <span className="mono">{one.session}</span>
                  )}
                  <span className="faint small">
                    prompt {one.turn} · <When at={one.at} />
                  </span>
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Timeline({
  id,
  history,
  error,
}: {
  id: string
  history: HistoryAnswer | undefined
  error: string | undefined
}) {
  return (
    <Card title="History">
      {history === undefined ? (
        <Waiting error={error} />
      ) : (
        <ol className="timeline">
          {history.events.toReversed().map((event) => (
            <li key={event.seq}>
              <strong>{eventWord(event.kind)}</strong>{" "}
              <span className="faint small">
                by {actorWord(event.actor)} · <When at={event.at} />
                {event.undoes ? " · took something back" : ""}
              </span>
              {event.purged ? <p className="faint flush">What it said then was purged.</p> : null}
              {event.edge ? (
                <p className="flush small">
                  {event.edge.kind.replaceAll("-", " ")}{" "}
                  <EdgeEnd node={event.edge.target === id ? event.edge.source : event.edge.target} />
                </p>
              ) : null}
              {event.changes
                .filter(isTelling)
                .slice(0, 8)
                .map((change) => (
                  <Change key={change.field} {...change} />
                ))}
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

/** Fields that change with every look at a memory say nothing about it. */
const untelling = new Set(["accessedAt", "verifiedAt", "accessCount", "reinforcements"])

export function isTelling({ field }: { field: string }): boolean {
  return !untelling.has(field)
}

/** "memory.superseded" as people say it. */
export function eventWord(kind: string): string {
  const [noun = "", verb = ""] = kind.split(".")
  const word = verb.replaceAll("-", " ")
  if (noun === "edge") return { added: "Linked", removed: "Unlinked" }[verb] ?? "Link weighed"
  return noun === "memory" ? word.charAt(0).toUpperCase() + word.slice(1) : `${noun} ${word}`
}

export function EdgeEnd({ node }: { node: string }) {
  return node.startsWith("m_") ? (
    <Link to={`/memory/${node}`} className="mono under">
      {node}
    </Link>
  ) : (
    <span>{plain(node)}</span>
  )
}

export function Change({ field, from, to }: { field: string; from?: unknown; to?: unknown }) {
  return (
    <div className="change small">
      <span className="faint">{field}</span>{" "}
      {from === undefined ? null : (
        <del>
          <Text text={valueText(from)} line />
        </del>
      )}{" "}
      {to === undefined ? null : (
        <ins>
          <Text text={valueText(to)} line />
        </ins>
      )}
    </div>
  )
}

function valueText(value: unknown): string {
  if (value === null || value === "") return "nothing"
  if (Array.isArray(value)) return value.length === 0 ? "nothing" : value.map(valueText).join(", ")
  if (typeof value === "number") return String(Math.round(value * 1000) / 1000)
  return typeof value === "string" ? value : JSON.stringify(value)
}

function Facts({ memory }: { memory: ShowAnswer }) {
  const scope = { global: "everywhere", project: memory.projectName ?? "one project", session: "one session" }
  return (
    <Card title="At a glance" className="side-card">
      <dl className="facts">
        <dt>Confidence</dt>
        <dd>{memory.confidenceNow.toFixed(2)}</dd>
        <dt>Holds</dt>
        <dd>{scope[memory.scope]}</dd>
        <dt>Source</dt>
        <dd>{memory.source}</dd>
        <dt>Said</dt>
        <dd title={wholeTime(memory.createdAt)}>
          <When at={memory.createdAt} />
          {memory.strength > 1 ? `, ${memory.strength} times` : ""}
        </dd>
        <dt>Used</dt>
        <dd>
          {memory.accessCount} times
          {memory.accessedAt ? (
            <>
              , last <When at={memory.accessedAt} />
            </>
          ) : null}
        </dd>
        {memory.verifiedAt ? (
          <>
            <dt>Verified</dt>
            <dd>
              <When at={memory.verifiedAt} />
            </dd>
          </>
        ) : null}
      </dl>
      <div className="row-line tag-line">
        {memory.tags.map((tag) => (
          <Link key={tag} to={`/memory?tag=${encodeURIComponent(tag)}`} className="badge">
            #{tag}
          </Link>
        ))}
        {memory.inferredTags.map((tag) => (
          <Badge key={tag}>~{tag}</Badge>
        ))}
        {memory.clusters.map(({ id, name }) => (
          <Badge key={id} tone="accent">
            {name}
          </Badge>
        ))}
      </div>
    </Card>
  )
}

const relations = [
  ["supersededBy", "Replaced by"],
  ["supersedes", "Replaces"],
  ["contradicts", "Contradicts"],
  ["derivedFrom", "Concluded from"],
  ["relatesTo", "Related to"],
] as const

function Neighbours({ why }: { why: WhyAnswer | undefined }) {
  if (why === undefined) return null
  const groups = relations.flatMap(([name, word]) => {
    const found = [why[name]].flat().filter((one) => one !== null)
    return found.length === 0 ? [] : [{ word, found }]
  })
  return (
    <Card title="Neighbours">
      {groups.length === 0 ? (
        <p className="faint small flush">It has no links yet. Press l to link it.</p>
      ) : null}
      {groups.map(({ word, found }) => (
        <div key={word}>
          <h3 className="small-title">{word}</h3>
          <ul className="rows">
            {found.map(({ id, content, status }) => (
              <li key={id}>
                <Link to={`/memory/${id}`} className="row" isRow>
                  <Text text={content} line />
                  {status === "active" ? null : <Badge tone="warn">{status}</Badge>}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </Card>
  )
}

function Similar({ similar }: { similar: SimilarAnswer | undefined }) {
  if (similar === undefined || similar.results.length === 0) return null
  return (
    <Card title="Similar">
      <ul className="rows">
        {similar.results.map((hit) => (
          <li key={hit.id}>
            <Link to={`/memory/${hit.id}`} className="row" isRow>
              <Text text={hit.content} line />
              <span className="meta">
                <span>{hit.score.toFixed(2)}</span>
                <TypeWord type={hit.type} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
