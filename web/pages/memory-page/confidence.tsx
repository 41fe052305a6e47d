import type { Answer } from "../../../src/api/contract/answers.ts"
import { Card, Loading, Text } from "../../parts/basics.tsx"
import { Curve } from "../../parts/curve.tsx"
import { count, type typeNames } from "../../parts/words.ts"

interface ConfidenceProps {
  memory: Answer<"show">
  provenance: Answer<"provenance"> | undefined
  why: Answer<"why"> | undefined
  error: string | undefined
}

/** The confidence in a memory over time, and its reasons. */
export function Confidence({ memory, provenance, why, error }: ConfidenceProps) {
  return (
    <Card title="Confidence over time">
      {provenance ? <Curve {...provenance.confidence} /> : <Loading error={error} />}
      {why ? <p className="soft small flush">{explained(memory, why)}</p> : null}
      {why ? <Sentences why={why} /> : null}
    </Card>
  )
}

/** Explains the curve. */
function explained({ source, type, accessCount }: Answer<"show">, { belief }: Answer<"why">): string {
  const subject = source === "inferred" ? "An inferred memory" : kindNames[type]
  const used =
    accessCount === 0
      ? "It was never used; use raises it a little."
      : `Use raises it a little: it was used ${count(accessCount, "time")}.`
  const age = belief.days < 1 ? "today" : `${count(Math.floor(belief.days), "day")} ago`
  return `${subject} loses half of its confidence every ${belief.halfLifeDays} days unless it is confirmed; that last happened ${age}. ${used} The dashed line is the forecast without further use or confirmation.`
}

const kindNames: Record<keyof typeof typeNames, string> = {
  fact: "A fact",
  preference: "A preference",
  procedure: "A procedure",
  correction: "A correction",
  negative: "A prohibition",
  entity: "A fact about a person or thing",
  observation: "An observation",
}

function Sentences({ why }: { why: Answer<"why"> }) {
  return (
    <details className="why">
      <summary>Why it has this confidence</summary>
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
