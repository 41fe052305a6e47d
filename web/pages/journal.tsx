import { useEffect, useState } from "react"
import type { EntryJson } from "../../src/api/contract/memory-answers.ts"
import { Button, Card, Empty, Head, Link, Load, Text } from "../parts/basics.tsx"
import { describeEntry } from "../parts/describe-entry.ts"
import { Select } from "../parts/inputs.tsx"
import { fullTime, safeText } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { onEntry } from "../state/live.ts"
import { go } from "../state/router.ts"
import { useData, useLive } from "../state/use-data.ts"

const kinds: [string, string][] = [
  ["", "Everything"],
  ..."memory recall session cycle permission queue edge model chat config daemon"
    .split(" ")
    .map((kind): [string, string] => [`${kind}.`, kind]),
]
const atOnce = 200
const maxEntries = 1000

/** The journal, live. */
export function Journal({ query }: { query: URLSearchParams }) {
  const kind = query.get("kind") ?? ""
  const filter = kind === "" ? {} : { kind }
  const first = useData(`journal ${kind}`, () => client.journal({ newest: "true", limit: atOnce, ...filter }))
  const [fresh, setFresh] = useState<EntryJson[]>([])
  const [isPaused, setPaused] = useState(false)
  const live = useLive()
  useEffect(() => {
    setFresh([])
    return onEntry((entry) => {
      if (entry.kind.startsWith(kind)) setFresh((all) => [entry, ...all].slice(0, maxEntries))
    })
  }, [kind])
  const entries = [...(isPaused ? [] : fresh), ...(first.data?.entries.toReversed() ?? [])]
  const unique = [...new Map(entries.map((entry) => [entry.seq, entry])).values()]
  const newest = first.data?.entries.at(-1)?.seq ?? 0
  return (
    <div className="page">
      <Head
        title="Journal"
        about={
          live === "live"
            ? "Live. Every change is one entry, and only a purge rewrites entries."
            : "Not connected at the moment."
        }
      >
        <Select
          label="Kind"
          value={kind}
          options={kinds}
          onChange={(next) => go(next === "" ? "/journal" : `/journal?kind=${next}`, { replace: true })}
        />
        <Button isPressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? `Resume (${fresh.length} new)` : "Pause"}
        </Button>
      </Head>
      <Load from={first}>
        {() => (
          <Card>
            {unique.length === 0 ? <Empty title="There are no entries of this kind." /> : null}
            {unique.map((entry) => (
              <Row key={entry.seq} entry={entry} isNew={entry.seq > newest} />
            ))}
          </Card>
        )}
      </Load>
    </div>
  )
}

function Row({ entry, isNew }: { entry: EntryJson; isNew: boolean }) {
  const { sentence, about } = describeEntry(entry)
  return (
    <div className={`journal-row ${isNew ? "new" : ""}`}>
      <time dateTime={entry.at} title={fullTime(entry.at)} className="faint">
        {momentText(entry.at)}
      </time>
      <div className="grow">
        <span>{safeText(sentence)}</span> <About entry={entry} about={about} />
      </div>
      <Raw entry={entry} />
    </div>
  )
}

/** The time, with the day if it was not today. */
function momentText(at: string): string {
  const moment = new Date(at)
  if (moment.toDateString() === new Date().toDateString()) return moment.toLocaleTimeString("en-GB")
  const time = moment.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
  return `${moment.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`
}

const pages: [RegExp, (id: string) => string][] = [
  [/^m_/, (id) => `/memory/${id}`],
  [/^cycle_/, (id) => `/cycles/${id}`],
  [/^ask_/, (id) => `/inbox/${id}`],
]

/** The page of an entry's subject. */
function pageOf({ subject, kind }: EntryJson): string | undefined {
  if (subject === null) return undefined
  const page = pages.find(([pattern]) => pattern.test(subject))
  if (page) return page[1](subject)
  return /^(?:session|recall)\./.test(kind) ? `/sessions/${encodeURIComponent(subject)}` : undefined
}

/** The text an entry is about, as a link to its page. */
function About({ entry, about }: { entry: EntryJson; about: string | undefined }) {
  const page = pageOf(entry)
  const text = about === undefined ? undefined : <Text text={about} line />
  if (page === undefined) return text
  return (
    <Link to={page} className="under" isRow>
      {text ?? "Open"}
    </Link>
  )
}

/** The entry as it is stored. */
function Raw({ entry }: { entry: EntryJson }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="raw" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="faint small">Raw</summary>
      {isOpen ? (
        <pre className="block">{safeText(JSON.stringify(entry, null, 2)).slice(0, 20_000)}</pre>
      ) : null}
    </details>
  )
}
