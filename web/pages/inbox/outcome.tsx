import type { RequestJson } from "../../../src/api/contract/tending-answers.ts"
import { When } from "../../parts/basics.tsx"
import { safeText } from "../../parts/words.ts"

/** The decision about a request and its outcome, in a sentence. */
export function Outcome({ request }: { request: RequestJson }) {
  const { decision } = request
  return (
    <p className="soft small came-of-it">
      {sentenceOf(request)}{" "}
      {decision ? (
        <span className="faint">
          <When at={decision.at} />, {decision.from === "web" ? "here" : `by ${safeText(decision.from)}`}
        </span>
      ) : null}
    </p>
  )
}

function sentenceOf(request: RequestJson): string {
  const { state, call, outcome, decision } = request
  const reason = decision?.text ? `: ${ended(safeText(decision.text))}` : "."
  const edited = decision?.input ? " It ran as you edited it." : ""
  const result = outcome ? `: ${ended(safeText(outcome))}` : "."
  const sentences: Record<RequestJson["state"], string> = {
    pending: "It waits for you.",
    approved: call
      ? "You approved it. It runs now."
      : "You approved it. The agent reads that in its next cycle.",
    running: "You approved it. It runs now.",
    done: `Done${result}${edited}`,
    failed: `It failed${result}${edited}`,
    denied: `You denied it${reason} It does not run, and the next cycle knows.`,
    answered: `You answered${reason} The agent reads it in its next cycle.`,
    expired: "Nobody decided in time, so it does not run.",
  }
  return sentences[state]
}

/** The text with a full stop if it has no final punctuation. */
function ended(text: string): string {
  return /[.!?…]\s*$/.test(text) ? text : `${text}.`
}
