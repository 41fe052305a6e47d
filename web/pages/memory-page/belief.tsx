import type { Answer } from "../../../src/api/contract/answers.ts"
import { Card, Text, Waiting } from "../../parts/basics.tsx"
import { Curve } from "../../parts/curve.tsx"
import { count, type typeWords } from "../../parts/words.ts"

interface BeliefProps {
  memory: Answer<"show">
  provenance: Answer<"provenance"> | undefined
  why: Answer<"why"> | undefined
  error: string | undefined
}

/** How far it was believed over time, and why. */
export function Belief({ memory, provenance, why, error }: BeliefProps) {
  return (
    <Card title="Confidence over time">
      {provenance ? <Curve {...provenance.confidence} /> : <Waiting error={error} />}
      {why ? <p className="soft small flush">{explained(memory, why)}</p> : null}
      {why ? <Sentences why={why} /> : null}
    </Card>
  )
}

/** What the curve shows, in words. */
function explained({ source, type, accessCount }: Answer<"show">, { belief }: Answer<"why">): string {
  const what = source === "inferred" ? "What was only concluded" : kindWords[type]
  const used =
    accessCount === 0
      ? "It was never used; use would hold it up a little."
      : `Use holds it up a little: it was used ${count(accessCount, "time")}.`
  const age = belief.days < 1 ? "today" : `${count(Math.floor(belief.days), "day")} ago`
  return `${what} loses half of its confidence every ${belief.halfLifeDays} days, unless it is said again or checked; that was last so ${age}. ${used} The dashed line is what becomes of it if nothing happens.`
}

const kindWords: Record<keyof typeof typeWords, string> = {
  fact: "A fact",
  preference: "A preference",
  procedure: "A procedure",
  correction: "A correction",
  negative: "What must not be done",
  entity: "What is known about people and things",
  observation: "An observation",
}

function Sentences({ why }: { why: Answer<"why"> }) {
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
