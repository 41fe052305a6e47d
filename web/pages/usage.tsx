import { useState } from "react"
import type { Answer } from "../../src/api/contract/answers.ts"
import { Card, Empty, Head, Load } from "../parts/basics.tsx"
import { Tabs } from "../parts/inputs.tsx"
import { Table } from "../parts/lists.tsx"
import { Shares } from "../parts/tending-card.tsx"
import { compact, dollars, sourceNames } from "../parts/words.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

const ranges = [7, 30, 90].map((days): [number, string] => [days, `${days} days`])
type Row = Answer<"usage">["rows"][number]
const sources: Row["source"][] = ["user", "ambient", "extraction", "judge", "chat"]

/** The calls to models by purpose, their cost, and the remaining budget. */
export function Usage() {
  const [days, setDays] = useState(30)
  const usage = useData(
    `usage ${days}`,
    () => client.usage({ days, zone: -new Date().getTimezoneOffset() }),
    ["model.", "usage."],
  )
  const budget = useData("budget", () => client.budget(), ["model.", "usage.", "cycle."])
  return (
    <div className="page">
      <Head title="Usage and budget" about="Your own work comes first. Reverie uses what you leave.">
        <Tabs value={days} options={ranges} onChange={(range) => setDays(range)} />
      </Head>
      <div className="stack">
        <Load from={budget}>{(data) => <Budget budget={data} />}</Load>
        <Load from={usage}>{(data) => <Use usage={data} />}</Load>
      </div>
    </div>
  )
}

function Budget({ budget }: { budget: Answer<"budget"> }) {
  return (
    <Card title={budget.poolName ? `Budget: ${budget.poolName}` : "Budget"}>
      <p className="flush">
        {budget.mayRun ? "A cycle may run now." : "No cycle may run now."}{" "}
        <span className="faint">{budget.reason}</span>
      </p>
      {[
        ...budget.windows,
        ...budget.others.flatMap(({ windows, poolName }) =>
          windows.map((window) => ({ ...window, id: `${poolName}: ${window.id}` })),
        ),
      ].map((window) => (
        <Shares key={window.id} {...shares(window)} />
      ))}
    </Card>
  )
}

/** Converts the parts of a limit to percent. */
function shares({ id, user, ambient, remaining, capacity, resetsAt }: Answer<"budget">["windows"][number]) {
  const percent = (value: number) => (capacity > 0 ? (100 * value) / capacity : 0)
  return { id, user: percent(user), ambient: percent(ambient), remaining: percent(remaining), resetsAt }
}

function Use({ usage }: { usage: Answer<"usage"> }) {
  const { total, rows } = usage
  return (
    <>
      <div className="figures">
        {[
          [total.calls.toLocaleString("en-US"), "calls"],
          [compact(total.input + total.output), "tokens"],
          [total.costUsd === 0 ? "$0" : `$${total.costUsd.toFixed(2)}`, "paid by key"],
          [String(total.failed), "failed"],
        ].map(([value, word]) => (
          <div key={word} className="figure">
            <b>{value}</b>
            <span>{word}</span>
          </div>
        ))}
      </div>
      <Card title="Tokens by day">
        {rows.length === 0 ? (
          <Empty title="No model was asked in this time." />
        ) : (
          <Chart rows={rows} days={usage.days} />
        )}
      </Card>
      {rows.length === 0 ? null : <ByModel rows={rows} />}
    </>
  )
}

const width = 940
const height = 220
const floor = height - 22

function Chart({ rows, days }: { rows: readonly Row[]; days: number }) {
  const today = new Date()
  const names = Array.from({ length: days }, (_, index) => {
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (days - 1 - index), 12)
    return day.toISOString().slice(0, 10)
  })
  const tokensOn = (day: string, source: Row["source"]) =>
    rows
      .filter((row) => row.day === day && row.source === source)
      .reduce((sum, { input, output }) => sum + input + output, 0)
  const most = Math.max(
    1,
    ...names.map((day) => sources.reduce((sum, source) => sum + tokensOn(day, source), 0)),
  )
  const step = (width - 44) / days
  return (
    <>
      <svg
        className="chart"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Tokens by day, at most ${compact(most)} a day`}
      >
        <text x="0" y="12">
          {compact(most)}
        </text>
        <line className="grid" x1="40" x2={width} y1={floor} y2={floor} stroke="var(--line)" />
        {names.map((day, index) => (
          <Column
            key={day}
            day={day}
            x={44 + index * step}
            width={Math.max(2, step - 3)}
            tokens={sources.map((source) => tokensOn(day, source))}
            most={most}
            isNamed={index % Math.ceil(days / 8) === 0}
          />
        ))}
      </svg>
      <div className="legend">
        {sources.map((source) => (
          <span key={source}>
            <i className={`swatch-${source}`} />
            {sourceNames[source]}
          </span>
        ))}
      </div>
    </>
  )
}

interface ColumnProps {
  day: string
  x: number
  width: number
  tokens: number[]
  most: number
  isNamed: boolean
}

function Column({ day, x, width: wide, tokens, most, isNamed }: ColumnProps) {
  let below = 0
  return (
    <g>
      {tokens.map((value, index) => {
        const tall = (value / most) * (floor - 14)
        below += tall
        const source = sources[index] ?? "user"
        return value === 0 ? null : (
          <rect
            key={source}
            className={`swatch-${source}`}
            x={x}
            y={floor - below}
            width={wide}
            height={tall}
            rx="1.5"
          >
            <title>{`${day}: ${sourceNames[source]}, ${compact(value)} tokens`}</title>
          </rect>
        )
      })}
      {isNamed ? (
        <text x={x} y={height - 6}>
          {day.slice(5)}
        </text>
      ) : null}
    </g>
  )
}

function ByModel({ rows }: { rows: readonly Row[] }) {
  const groups = Map.groupBy(rows, ({ source, model }) => `${source}\n${model}`)
  const sums = [...groups].map(([key, group]) => {
    const [source = "user", model = ""] = key.split("\n")
    const sum = (of: (row: Row) => number) => group.reduce((all, row) => all + of(row), 0)
    return {
      source: source as Row["source"],
      model,
      calls: sum((row) => row.calls),
      tokens: sum((row) => row.input + row.output),
      usd: sum((row) => row.costUsd),
    }
  })
  return (
    <Card title="By source and model">
      <Table
        texts={["Source", "Model"]}
        numbers={["Calls", "Tokens", "Paid"]}
        rows={sums
          .toSorted((a, b) => b.tokens - a.tokens)
          .map(({ source, model, calls, tokens, usd }) => [
            sourceNames[source],
            model,
            calls.toLocaleString("en-US"),
            compact(tokens),
            dollars(usd),
          ])}
      />
    </Card>
  )
}
