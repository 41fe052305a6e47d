import type { Answer } from "../../../src/api/contract/answers.ts"
import { Badge, Card, Empty, Link, When } from "../../parts/basics.tsx"
import { Rows } from "../../parts/lists.tsx"
import { TurnLine } from "../../parts/turn.tsx"
import { actorName, safeText, toolName } from "../../parts/words.ts"

interface OriginProps {
  provenance: Answer<"provenance"> | undefined
  memory: Answer<"show">
}

/** Such as "You said it in a terminal". */
function originOf({ source, history: [first] }: Answer<"show">): string {
  const who = first && actorName(first.actor)
  if (source !== "user-stated" && source !== "user-corrected")
    return `It was ${source}${who ? `, by ${who}` : ""}`
  if (!who) return "You said it"
  return who.startsWith("you, ") ? `You said it ${who.slice(5)}` : `You said it, by ${who}`
}

/** The turn it was learned from, or who stated it. */
export function Origin({ provenance, memory }: OriginProps) {
  if (provenance === undefined) return null
  const { session, turns } = provenance
  return (
    <Card title="Where it comes from">
      {session === null ? (
        <p className="flush">
          {originOf(memory)}, <When at={memory.createdAt} />.
          {memory.details.context ? ` Context: ${safeText(memory.details.context)}` : ""}
        </p>
      ) : (
        <>
          <p className="flush">
            {toolName(session.tool)} ·{" "}
            <Link to={`/sessions/${encodeURIComponent(session.id)}`} className="under">
              {session.title ? safeText(session.title) : "the session"}
            </Link>
            {session.projectName ? ` · ${session.projectName}` : ""} · <When at={session.startedAt} />
          </p>
          {turns.length === 0 ? (
            <p className="faint small">The text of that session was deleted (sessions.keep_days).</p>
          ) : (
            turns.map((turn) => <TurnLine key={turn.position} turn={turn} isSource={turn.isSource} />)
          )}
        </>
      )}
    </Card>
  )
}

/** The sessions that recall surfaced it in, and its ratings. */
export function Surfaced({ provenance, memory }: OriginProps) {
  if (provenance === undefined) return null
  const { helpful = 0, unhelpful = 0 } = memory.details
  return (
    <Card title="When it came up">
      <p className="faint small flush">
        {helpful + unhelpful === 0
          ? "Nobody has rated it yet."
          : `Rated helpful ${helpful}×, unhelpful ${unhelpful}×.`}
      </p>
      <Rows
        items={provenance.surfaced}
        keyOf={({ session, at }) => `${session} ${at}`}
        empty={<Empty title="It has not come up in a session yet." />}
      >
        {(one) => (
          <div className="row">
            <span className="row-line">
              <Badge>{toolName(one.tool)}</Badge>
              {one.isKept ? (
                <Link to={`/sessions/${encodeURIComponent(one.session)}`} className="under">
                  {one.title ? safeText(one.title).slice(0, 80) : "the session"}
                </Link>
              ) : (
                <span className="mono">{one.session}</span>
              )}
              <span className="faint small">
                prompt {one.turn} · <When at={one.at} />
              </span>
            </span>
          </div>
        )}
      </Rows>
    </Card>
  )
}
