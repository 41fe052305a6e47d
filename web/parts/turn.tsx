import type { Answer } from "../../src/api/contract/answers.ts"
import { Badge, Text, When } from "./basics.tsx"
import { safeText } from "./words.ts"

type Turn = Answer<"session">["turns"][number]

const whoWords: Record<Turn["role"], string> = { user: "You", assistant: "Agent", tool: "Tool" }

/** One turn of a session. */
export function TurnLine({ turn, isSource = false }: { turn: Turn; isSource?: boolean }) {
  return (
    <div className={`turn ${isSource ? "source" : ""}`} id={`turn-${turn.position}`}>
      <div className="who">
        {whoWords[turn.role]}
        <br />
        <When at={turn.at} />
      </div>
      <div>
        {turn.tool ? <Badge tone={turn.isError ? "bad" : "none"}>{safeText(turn.tool)}</Badge> : null}
        <Text text={turn.text} className={turn.role === "tool" ? "mono" : ""} />
      </div>
    </div>
  )
}
