import { useEffect, useRef, useState } from "react"
import type { Answer } from "../../src/api/contract/answers.ts"
import { Button, Empty, Head, Link, Loading, Text, TypeName } from "../parts/basics.tsx"
import { Tabs } from "../parts/inputs.tsx"
import { count } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { go } from "../state/router.ts"
import { useTheme } from "../state/theme.ts"
import { useData } from "../state/use-data.ts"
import type { ColourBy, Legend } from "./colours.ts"
import { type Drawing, drawGraph } from "./draw.ts"

const colourings: [ColourBy, string][] = [
  ["type", "Kind"],
  ["project", "Project"],
  ["cluster", "Cluster"],
]

/** The graph of all memories. */
export function Graph({ project }: { project: string | null }) {
  const [limit, setLimit] = useState(5000)
  const found = useData(`graph ${project ?? ""} ${limit}`, () =>
    client.graph({ allProjects: "true", limit, ...(project === null ? {} : { project }) }),
  )
  return (
    <div className="page wide">
      {found.data === undefined ? (
        <>
          <Head title="Graph" />
          <Loading error={found.error} reload={found.reload} />
        </>
      ) : (
        <Drawn answer={found.data} onAll={() => setLimit(100_000)} />
      )}
    </div>
  )
}

function Drawn({ answer, onAll }: { answer: Answer<"graph">; onAll(): void }) {
  const canvas = useRef<HTMLDivElement>(null)
  const drawing = useRef<Drawing>(undefined)
  const [by, setBy] = useState<ColourBy>(answer.clusters.length > 1 ? "cluster" : "type")
  const [legend, setLegend] = useState<Legend[]>([])
  const [chosen, setChosen] = useState<number>()
  const theme = useTheme()
  const latestBy = useRef(by)
  latestBy.current = by
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    if (canvas.current === null) return undefined
    const drawn = drawGraph(canvas.current, answer, latestBy.current, setChosen)
    drawing.current = drawn
    setLegend(drawn.legend)
    canvas.current.dataset.drawn = String(answer.nodes.length)
    return () => drawn.stop()
  }, [answer, theme])
  const colourBy = (next: ColourBy) => {
    setBy(next)
    setLegend(drawing.current?.colour(next) ?? [])
  }
  useEffect(() => drawing.current?.highlight(chosen === undefined ? [] : [chosen]), [chosen])
  const hidden = answer.total - answer.nodes.length
  const about =
    `${count(answer.nodes.length, "memory", "memories")}, ${count(answer.edges.length, "link")}, ${count(answer.clusters.length, "cluster")}.` +
    (hidden > 0 ? ` ${hidden.toLocaleString("en-US")} older ones are not drawn.` : "")
  return (
    <>
      <Head title="Graph" about={about}>
        {hidden > 0 ? <Button onClick={onAll}>Draw all</Button> : null}
        <Tabs value={by} options={colourings} onChange={colourBy} />
      </Head>
      <Finder answer={answer} onFound={(nodes) => show(drawing.current, nodes)} onOpen={setChosen} />
      <div className="graph">
        {answer.nodes.length === 0 ? <Empty title="There are no memories yet." /> : null}
        <div
          className="graph-canvas"
          ref={canvas}
          role="img"
          aria-label={`Graph of ${about} Find a memory above, or read them as a list.`}
        />
        <div className="graph-zoom">
          <Button isTiny onClick={() => drawing.current?.zoom("in")}>
            +
          </Button>
          <Button isTiny onClick={() => drawing.current?.zoom("out")}>
            −
          </Button>
          <Button isTiny onClick={() => drawing.current?.zoom("all")}>
            All
          </Button>
        </div>
        <div className="graph-legend legend">
          {legend.map(({ name, colour }) => (
            <span key={name}>
              <i style={{ background: colour }} />
              {name}
            </span>
          ))}
        </div>
        {chosen === undefined ? null : (
          <Panel answer={answer} node={chosen} onClose={() => setChosen(undefined)} onChoose={setChosen} />
        )}
      </div>
    </>
  )
}

function show(drawing: Drawing | undefined, nodes: readonly number[]): void {
  drawing?.highlight(nodes)
  const [first] = nodes
  if (first !== undefined) drawing?.focus(first)
}

interface FinderProps {
  answer: Answer<"graph">
  onFound(nodes: readonly number[]): void
  onOpen(node: number): void
}

/** Searches memories and highlights them in the graph. */
function Finder({ answer, onFound, onOpen }: FinderProps) {
  const [text, setText] = useState("")
  const latest = useRef(onFound)
  latest.current = onFound
  const [found, setFound] = useState<number[]>([])
  useEffect(() => {
    const timer = setTimeout(async () => {
      const ids = text.trim() === "" ? [] : await idsFor(text)
      const nodes = answer.nodes.flatMap(({ id }, index) => (ids.includes(id) ? [index] : []))
      const ordered = nodes.sort(
        (a, b) => ids.indexOf(answer.nodes[a]?.id ?? "") - ids.indexOf(answer.nodes[b]?.id ?? ""),
      )
      setFound(ordered)
      latest.current(ordered)
    }, 120)
    return () => clearTimeout(timer)
  }, [text, answer])
  return (
    <form
      className="graph-find row-line"
      onSubmit={(event) => {
        event.preventDefault()
        const [first] = found
        if (first !== undefined) onOpen(first)
      }}
    >
      <input
        type="search"
        aria-label="Find in the graph"
        placeholder="Find in the graph; Enter opens the first"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <span className="faint small">{text === "" ? "" : count(found.length, "match", "matches")}</span>
    </form>
  )
}

async function idsFor(query: string): Promise<string[]> {
  try {
    const { results } = await client.search({ query, limit: 30, allProjects: "true", typing: "true" })
    return results.map(({ id }) => id)
  } catch {
    return []
  }
}

interface PanelProps {
  answer: Answer<"graph">
  node: number
  onClose(): void
  onChoose(node: number): void
}

function Panel({ answer, node, onClose, onChoose }: PanelProps) {
  const shown = answer.nodes[node]
  if (shown === undefined) return null
  const near = answer.edges.flatMap(({ source, target, kind }) =>
    source === node ? [{ other: target, kind }] : target === node ? [{ other: source, kind }] : [],
  )
  return (
    <section className="graph-panel" aria-label="Chosen memory">
      <div className="row-line small">
        <TypeName type={shown.type} />
        <span className="faint">
          {answer.clusters[shown.cluster]?.name ?? answer.projects[shown.project]?.name ?? "everywhere"}
        </span>
      </div>
      <p>
        <Text text={shown.label} />
      </p>
      <ul className="rows">
        {near.slice(0, 6).map(({ other, kind }) => (
          <li key={`${other} ${kind}`}>
            <button type="button" className="row near" onClick={() => onChoose(other)}>
              <span className="faint small">{kind.replaceAll("-", " ")}</span>
              <Text text={answer.nodes[other]?.label ?? ""} line />
            </button>
          </li>
        ))}
      </ul>
      <div className="buttons">
        <Button kind="primary" onClick={() => go(`/memory/${shown.id}`)}>
          Open
        </Button>
        <Button kind="plain" onClick={onClose}>
          Close
        </Button>
        <Link to="/memory" className="button plain">
          List
        </Link>
      </div>
    </section>
  )
}
