import { useState } from "react"
import type { ConflictsAnswer, CyclesAnswer } from "../../src/api/contract.ts"
import { Badge, Button, Card, Empty, Head, Link, Text, TypeWord, Waiting, When } from "../parts/basics.tsx"
import type { Shown } from "../parts/types.ts"
import { plain } from "../parts/words.ts"
import { useActs } from "../state/act.ts"
import { client } from "../state/client.ts"
import { useKeys } from "../state/keys.ts"
import { useData } from "../state/use-data.ts"

type Pair = ConflictsAnswer["conflicts"][number]

/** Updates and contradictions side by side; one key resolves each. */
export function Conflicts() {
  const found = useData("conflicts", () => client.conflicts({ allProjects: "true", limit: 200 }), [
    "memory.",
    "edge.",
  ])
  const cycles = useData("cycles for duplicates", () => client.cycles({ limit: 5 }), ["cycle."])
  const { act } = useActs()
  const [skipped, setSkipped] = useState<readonly string[]>([])
  const pairs = found.data?.conflicts ?? []
  const left = pairs.filter((pair) => !skipped.includes(keyOf(pair)))
  const [current] = left
  const decide = (keep: "this" | "other" | "both") => {
    if (current === undefined) return
    const [{ id }, { id: other }] = current.memories
    const words = { this: "Kept the newer one.", other: "Kept the older one.", both: "Both hold." }
    setSkipped((all) => [...all, keyOf(current)])
    void act(() => client.resolve({ id, other, keep }), words[keep]).then((isDone) => {
      setSkipped((all) => (isDone ? all : all.filter((one) => one !== keyOf(current))))
      found.reload()
    })
  }
  const skip = () => current && setSkipped((all) => [...all, keyOf(current)])
  useKeys({ "1": () => decide("this"), "2": () => decide("other"), b: () => decide("both"), s: skip })
  if (found.data === undefined)
    return (
      <div className="page">
        <Head title="Conflicts" />
        <Waiting error={found.error} reload={found.reload} />
      </div>
    )
  return (
    <div className="page">
      <Head
        title="Conflicts"
        about={
          left.length === 0
            ? "Updates, contradictions and duplicates that rules alone could not settle."
            : `${left.length} to settle. What is replaced stays in the history, and z takes a decision back.`
        }
      />
      <div className="stack">
        {current === undefined ? (
          <Card>
            <Empty title={pairs.length > 0 ? "That was the last one." : "Nothing contradicts anything."}>
              {pairs.length > 0 ? (
                <Button onClick={() => setSkipped([])}>Show what was skipped</Button>
              ) : (
                "When two memories cannot both be true, they appear here side by side."
              )}
            </Empty>
          </Card>
        ) : (
          <Versus pair={current} decide={decide} skip={skip} />
        )}
        {left.length > 1 ? <Rest pairs={left.slice(1)} /> : null}
        <LeftOpen cycles={cycles.data} known={pairs} />
      </div>
    </div>
  )
}

function keyOf({ memories: [a, b] }: Pair): string {
  return `${a.id} ${b.id}`
}

interface VersusProps {
  pair: Pair
  decide(keep: "this" | "other" | "both"): void
  skip(): void
}

function Versus({ pair, decide, skip }: VersusProps) {
  const [newer, older] = pair.memories
  return (
    <section className="card pair" data-current="true" aria-label="Two memories that cannot both be true">
      <div className="versus">
        <Side memory={newer} other={older} word="Newer">
          <Button kind="primary" hint="1" onClick={() => decide("this")}>
            Keep this
          </Button>
        </Side>
        <Side memory={older} other={newer} word="Older">
          <Button hint="2" onClick={() => decide("other")}>
            Keep this
          </Button>
        </Side>
      </div>
      <div className="buttons acting">
        <Button hint="b" onClick={() => decide("both")}>
          Both hold
        </Button>
        <Button kind="plain" hint="s" onClick={skip}>
          Later
        </Button>
      </div>
    </section>
  )
}

function Side({
  memory,
  other,
  word,
  children,
}: {
  memory: Shown
  other: Shown
  word: string
  children: React.ReactNode
}) {
  return (
    <div className="side-of">
      <div className="row-line small">
        <Badge tone={word === "Newer" ? "accent" : "none"}>{word}</Badge>
        <TypeWord type={memory.type} />
        <span className="faint">
          {memory.source} · <When at={memory.createdAt} />
        </span>
      </div>
      <Link to={`/memory/${memory.id}`}>
        <Compared text={memory.content} other={other.content} />
      </Link>
      <div className="buttons">{children}</div>
    </div>
  )
}

/** A text with the words marked that the other does not have. */
function Compared({ text, other }: { text: string; other: string }) {
  const words = (of: string) => of.toLowerCase().match(/[\p{L}\p{N}._/-]+/gu) ?? []
  const theirs = new Set(words(other))
  const parts = plain(text)
    .slice(0, 2000)
    .split(/([\p{L}\p{N}._/-]+)/u)
  return (
    <span className="text" dir="auto">
      {parts.map((part, index) =>
        index % 2 === 1 && !theirs.has(part.toLowerCase()) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
          <mark key={index}>{part}</mark>
        ) : (
          part
        ),
      )}
    </span>
  )
}

function Rest({ pairs }: { pairs: readonly Pair[] }) {
  return (
    <Card title="Then">
      <ul className="rows">
        {pairs.slice(0, 10).map((pair) => (
          <li key={keyOf(pair)}>
            <div className="row">
              <Text text={pair.memories[0].content} line />
              <span className="meta">against</span>
              <Text text={pair.memories[1].content} line />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** What the garden suspects and did not dare to settle: duplicates among it. */
function LeftOpen({ cycles, known }: { cycles: CyclesAnswer | undefined; known: readonly Pair[] }) {
  const above = new Set(known.map(({ memories: [a, b] }) => [a.id, b.id].toSorted().join(" ")))
  const seen = new Map(
    (cycles?.cycles ?? [])
      .flatMap(({ receipt }) => receipt.open)
      .filter(({ memories }) => memories.length === 2)
      .map((one) => [one.memories.toSorted().join(" "), one]),
  )
  const open = [...seen]
    .filter(([key]) => !above.has(key))
    .map(([, one]) => one)
    .slice(0, 20)
  if (open.length === 0) return null
  return (
    <Card title="The garden is not sure about these">
      <ul className="rows">
        {open.map((one) => (
          <li key={one.memories.join(" ")}>
            <OpenPair kind={one.kind} note={one.note} ids={one.memories} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function OpenPair({ kind, note, ids }: { kind: string; note: string; ids: readonly string[] }) {
  const [a = "", b = ""] = ids
  const both = useData(`pair ${a} ${b}`, () => Promise.all([client.show(a), client.show(b)]), ["memory."])
  const { act } = useActs()
  if (both.data === undefined || both.data.some(({ status }) => status !== "active")) return null
  const replace = (keep: string, other: string) => () =>
    void act(
      () => client.link({ source: keep, kind: "supersedes", target: other }),
      "The other one was replaced.",
    ).then(both.reload)
  return (
    <div className="row">
      <div className="row-line small">
        <Badge tone="warn">{kind}</Badge>
        <span className="faint">{plain(note)}</span>
      </div>
      <div className="versus open-pair">
        {both.data.map((memory, index) => (
          <div key={memory.id} className="side-of">
            <Link to={`/memory/${memory.id}`}>
              <Text text={memory.content} line />
            </Link>
            <div className="buttons">
              <Button isTiny onClick={replace(memory.id, ids[1 - index] ?? "")}>
                Keep this
              </Button>
            </div>
          </div>
        ))}
      </div>
      <Button
        isTiny
        kind="plain"
        onClick={() =>
          void act(() => client.link({ source: a, kind: "relates-to", target: b }), "Both stay.").then(
            both.reload,
          )
        }
      >
        Both stay
      </Button>
    </div>
  )
}
