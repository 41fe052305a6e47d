import { useEffect, useState } from "react"
import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import { Button, Card, Empty, Head, Link, Text, Waiting } from "../parts/basics.tsx"
import { wordsOf } from "../parts/entry-words.ts"
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
  const { sentence, about } = wordsOf(entry)
  return (
    <div className={`journal-row ${isNew ? "new" : ""}`}>
      <time dateTime={entry.at} title={wholeTime(entry.at)} className="faint">
        {momentText(entry.at)}
      </time>
      <div className="grow">
        <span>{plain(sentence)}</span> <About entry={entry} about={about} />
      </div>
      <Raw entry={entry} />
    </div>
  )
}

/** The time, and the day of what was not today. */
function momentText(at: string): string {
  const moment = new Date(at)
  if (moment.toDateString() === new Date().toDateString()) return moment.toLocaleTimeString("en-GB")
  const time = moment.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
  return `${moment.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`
}

const homes: [RegExp, (id: string) => string][] = [
  [/^m_/, (id) => `/memory/${id}`],
  [/^cycle_/, (id) => `/cycles/${id}`],
  [/^ask_/, (id) => `/inbox/${id}`],
]

/** Where what an entry is about can be looked at. */
function homeOf({ subject, kind }: EntryJson): string | undefined {
  if (subject === null) return undefined
  const home = homes.find(([pattern]) => pattern.test(subject))
  if (home) return home[1](subject)
  return /^(?:session|recall)\./.test(kind) ? `/sessions/${encodeURIComponent(subject)}` : undefined
}

/** The words an entry is about, which lead to where more is told. */
function About({ entry, about }: { entry: EntryJson; about: string | undefined }) {
  const home = homeOf(entry)
  const text = about === undefined ? undefined : <Text text={about} line />
  if (home === undefined) return text
  return (
    <Link to={home} className="under" isRow>
      {text ?? "Look at it"}
    </Link>
  )
}

/** All that an entry holds, for those who look closer. */
function Raw({ entry }: { entry: EntryJson }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="raw" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="faint small">Raw</summary>
      {isOpen ? <pre className="block">{plain(JSON.stringify(entry, null, 2)).slice(0, 20_000)}</pre> : null}
    </details>
  )
}
