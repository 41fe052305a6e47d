import type { Answer } from "../../src/api/contract/answers.ts"
import { Link, Text, When } from "./basics.tsx"
import { actorName, safeText } from "./words.ts"

type Event = Answer<"history">["events"][number]
type GraphEvent = Answer<"cycleChanges">["changes"][number]

const maxFields = 8

/** The changes of one memory, each with its actor and time. */
export function MemoryEvents({ id, events }: { id: string; events: readonly Event[] }) {
  return (
    <ol className="timeline">
      {events.map((event) => (
        <li key={event.seq}>
          <strong>{eventWord(event.kind)}</strong>{" "}
          <span className="faint small">
            by {actorName(event.actor)} · <When at={event.at} />
            {event.undoes ? " · undid a change" : ""}
          </span>
          {event.purged ? <p className="faint flush">Its earlier text was purged.</p> : null}
          {event.edge ? (
            <p className="flush small">
              <EdgeWords kind={event.edge.kind} to={otherEnd(event.edge, id)} />
            </p>
          ) : null}
          <Changes changes={event.changes} />
        </li>
      ))}
    </ol>
  )
}

/** The changes of several memories. */
export function GraphEvents({ events }: { events: readonly GraphEvent[] }) {
  return (
    <ol className="timeline">
      {events.map((event) => (
        <li key={event.seq}>
          <strong>{eventWord(event.kind)}</strong> <EdgeEnd node={event.subject} />
          {event.edge ? (
            <span className="small">
              {" "}
              <EdgeWords kind={event.edge.kind} to={event.edge.target} />
            </span>
          ) : null}
          {event.content ? <Text text={event.content} line /> : null}
          <Changes changes={event.changes} />
        </li>
      ))}
    </ol>
  )
}

/** "Superseded" for "memory.superseded". */
function eventWord(kind: string): string {
  const [noun = "", verb = ""] = kind.split(".")
  const word = verb.replaceAll("-", " ")
  if (noun === "edge") return { added: "Linked", removed: "Unlinked" }[verb] ?? "Link weighed"
  return noun === "memory" ? word.charAt(0).toUpperCase() + word.slice(1) : `${noun} ${word}`
}

function otherEnd({ source, target }: { source: string; target: string }, id: string): string {
  return target === id ? source : target
}

function EdgeWords({ kind, to }: { kind: string; to: string }) {
  return (
    <>
      {kind.replaceAll("-", " ")} <EdgeEnd node={to} />
    </>
  )
}

function EdgeEnd({ node }: { node: string }) {
  return node.startsWith("m_") ? (
    <Link to={`/memory/${node}`} className="mono under">
      {node}
    </Link>
  ) : (
    <span>{safeText(node)}</span>
  )
}

/** Fields that change whenever a memory is read. */
const hiddenFields = new Set(["accessedAt", "verifiedAt", "accessCount", "reinforcements"])

function isShown({ field }: { field: string }): boolean {
  return !hiddenFields.has(field)
}

function Changes({ changes }: Pick<Event, "changes">) {
  return changes
    .filter(isShown)
    .slice(0, maxFields)
    .map((change) => <Change key={change.field} {...change} />)
}

function Change({ field, from, to }: { field: string; from?: unknown; to?: unknown }) {
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
