import { useEffect, useState } from "react"
import type { EntryJson } from "../../src/api/contract.ts"
import { Button, Card, Empty, Head, Link, Waiting } from "../parts/basics.tsx"
import { plain, wholeTime } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { onEntry } from "../state/live.ts"
import { go } from "../state/router.ts"
import { useData, useLive } from "../state/use-data.ts"

const kinds = [
  "",
  "memory.",
  "recall.",
  "session.",
  "cycle.",
  "permission.",
  "queue.",
  "edge.",
  "model.",
  "chat.",
  "config.",
  "daemon.",
]
const atOnce = 200
const mostHeld = 1000

/** Everything that happens, as it happens. */
export function Journal({ query }: { query: URLSearchParams }) {
  const kind = query.get("kind") ?? ""
  const filter = kind === "" ? {} : { kind }
  const first = useData(`journal ${kind}`, () => client.journal({ newest: "true", limit: atOnce, ...filter }))
  const [fresh, setFresh] = useState<EntryJson[]>([])
  const [isHeld, setHeld] = useState(false)
  const live = useLive()
  useEffect(() => {
    setFresh([])
    return onEntry((entry) => {
      if (entry.kind.startsWith(kind)) setFresh((all) => [entry, ...all].slice(0, mostHeld))
    })
  }, [kind])
  const entries = [...(isHeld ? [] : fresh), ...(first.data?.entries.toReversed() ?? [])]
  const unique = [...new Map(entries.map((entry) => [entry.seq, entry])).values()]
  const newest = first.data?.entries.at(-1)?.seq ?? 0
  return (
    <div className="page">
      <Head
        title="Journal"
        about={
          live === "live"
            ? "Live. Every change is one entry, and nothing is ever rewritten but by a purge."
            : "Not live at the moment."
        }
      >
        <select
          aria-label="Kind"
          className="slim"
          value={kind}
          onChange={({ target }) =>
            go(target.value === "" ? "/journal" : `/journal?kind=${target.value}`, { replace: true })
          }
        >
          {kinds.map((one) => (
            <option key={one} value={one}>
              {one === "" ? "Everything" : one.replace(".", "")}
            </option>
          ))}
        </select>
        <Button isPressed={isHeld} onClick={() => setHeld(!isHeld)}>
          {isHeld ? `Go on (${fresh.length} new)` : "Hold"}
        </Button>
      </Head>
      {first.data === undefined ? (
        <Waiting error={first.error} reload={first.reload} />
      ) : (
        <Card>
          {unique.length === 0 ? <Empty title="Nothing of this kind has happened." /> : null}
          {unique.map((entry) => (
            <Row key={entry.seq} entry={entry} isNew={entry.seq > newest} />
          ))}
        </Card>
      )}
    </div>
  )
}

function Row({ entry, isNew }: { entry: EntryJson; isNew: boolean }) {
  return (
    <div className={`journal-row ${isNew ? "new" : ""}`}>
      <time dateTime={entry.at} title={wholeTime(entry.at)} className="faint">
        {new Date(entry.at).toLocaleTimeString("en-GB")}
      </time>
      <span className="mono">{entry.kind}</span>
      <span className="faint">{entry.actor}</span>
      <span className="grow">
        <Subject entry={entry} /> <Told entry={entry} />
      </span>
    </div>
  )
}

const homes: [RegExp, (id: string) => string][] = [
  [/^m_/, (id) => `/memory/${id}`],
  [/^cycle_/, (id) => `/cycles/${id}`],
  [/^ask_/, (id) => `/inbox/${id}`],
]

function Subject({ entry: { subject, kind } }: { entry: EntryJson }) {
  if (subject === null) return null
  const home = homes.find(([pattern]) => pattern.test(subject))
  const to =
    home?.[1](subject) ??
    (/^(?:session|recall)\./.test(kind) ? `/sessions/${encodeURIComponent(subject)}` : undefined)
  return to === undefined ? (
    <span className="mono">{plain(subject)}</span>
  ) : (
    <Link to={to} className="mono under">
      {plain(subject)}
    </Link>
  )
}

/** What an entry tells, in a line; all of it where somebody looks closer. */
function Told({ entry: { data } }: { entry: EntryJson }) {
  const text = JSON.stringify(data)
  if (text === "{}" || text === undefined) return null
  const content = contentIn(data)
  return (
    <details className="told">
      <summary className="text one-line small">{plain(content ?? text).slice(0, 220)}</summary>
      <pre className="block">{plain(JSON.stringify(data, null, 2)).slice(0, 20_000)}</pre>
    </details>
  )
}

/** The words in what an entry tells, where there are any. */
function contentIn(data: unknown): string | undefined {
  const told = (data ?? {}) as Record<string, unknown>
  const [words] = [told.summary, told.context, told.description].filter((one) => typeof one === "string")
  if (words !== undefined) return words
  const image = (told.after ?? told.before) as Record<string, unknown> | null | undefined
  if (typeof image?.content === "string") return image.content
  if (typeof image?.target === "string") return `${String(image.kind).replaceAll("-", " ")} ${image.target}`
  return undefined
}
