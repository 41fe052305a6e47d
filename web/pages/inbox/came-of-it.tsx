import type { RequestJson } from "../../../src/api/contract/tending-answers.ts"
import { When } from "../../parts/basics.tsx"
import { plain } from "../../parts/words.ts"

/** What was decided about a request, and what came of it, in a sentence. */
export function CameOfIt({ request }: { request: RequestJson }) {
  const { decision } = request
  return (
    <p className="soft small came-of-it">
      {sentenceOf(request)}{" "}
      {decision ? (
        <span className="faint">
          <When at={decision.at} />, {decision.from === "web" ? "here" : `by ${plain(decision.from)}`}
        </span>
      ) : null}
    </p>
  )
}

function sentenceOf(request: RequestJson): string {
  const { state, call, outcome, decision } = request
  const said = decision?.text ? `: ${ended(plain(decision.text))}` : "."
  const edited = decision?.input ? " It ran as you edited it." : ""
  const came = outcome ? `: ${ended(plain(outcome))}` : "."
  const sentences: Record<RequestJson["state"], string> = {
    pending: "It waits for you.",
    approved: call
      ? "You approved it. It runs now."
      : "You approved it. The agent reads that in its next cycle.",
    running: "You approved it. It runs now.",
    done: `Done${came}${edited}`,
    failed: `It failed${came}${edited}`,
    denied: `You denied it${said} It is not done, and the next cycle knows.`,
    answered: `You answered${said} The agent reads it in its next cycle.`,
    expired: "Nobody decided in time, so it is not done.",
  }
  return sentences[state]
}

/** A text that ends as a sentence does. */
function ended(text: string): string {
  return /[.!?…]\s*$/.test(text) ? text : `${text}.`
}
