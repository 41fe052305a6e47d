import type { Answer } from "../../src/api/contract/answers.ts"
import { dayText } from "./words.ts"

const width = 640
const height = 170
const edge = { left: 34, right: 12, top: 10, bottom: 24 }

/** A memory's confidence over time, and its forecast. */
export function Curve({ past, ahead }: Answer<"provenance">["confidence"]) {
  const all = [...past, ...ahead].map(({ at, confidence }) => ({ at: Date.parse(at), confidence }))
  const from = all[0]?.at ?? 0
  const to = Math.max(from + 1, all.at(-1)?.at ?? 1)
  const x = (at: number) => edge.left + ((at - from) / (to - from)) * (width - edge.left - edge.right)
  const y = (value: number) => edge.top + (1 - value) * (height - edge.top - edge.bottom)
  const line = (points: typeof past) =>
    points
      .map(
        ({ at, confidence }, index) =>
          `${index === 0 ? "M" : "L"}${x(Date.parse(at)).toFixed(1)} ${y(confidence).toFixed(1)}`,
      )
      .join("")
  const now = past.at(-1)
  if (now === undefined) return null
  const nowX = x(Date.parse(now.at))
  const nowY = y(now.confidence)
  const area = `${line(past)}L${nowX.toFixed(1)} ${y(0)}L${edge.left} ${y(0)}Z`
  return (
    <svg
      className="curve"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Confidence ${now.confidence.toFixed(2)} now, from ${past[0]?.confidence.toFixed(2)} on ${dayText(past[0]?.at ?? now.at)}`}
    >
      {[0, 0.5, 1].map((value) => (
        <g key={value}>
          <line className="grid" x1={edge.left} x2={width - edge.right} y1={y(value)} y2={y(value)} />
          <text x={edge.left - 8} y={y(value) + 4} textAnchor="end">
            {value}
          </text>
        </g>
      ))}
      <path className="area" d={area} />
      <path className="ahead" d={line(ahead)} />
      <path className="past" d={line(past)} />
      <circle className="now" cx={nowX} cy={y(now.confidence)} r="4" />
      <text x={edge.left} y={height - 6}>
        {dayText(past[0]?.at ?? now.at)}
      </text>
      <text
        x={nowX + (nowX > width - 90 ? -9 : 9)}
        y={Math.max(nowY - 5, edge.top + 2)}
        textAnchor={nowX > width - 90 ? "end" : "start"}
      >
        {now.confidence.toFixed(2)} now
      </text>
      <text x={width - edge.right} y={height - 6} textAnchor="end">
        {dayText(new Date(to).toISOString())}
      </text>
    </svg>
  )
}
