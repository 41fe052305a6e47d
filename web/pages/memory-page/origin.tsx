import type { Answer } from "../../../src/api/contract/answers.ts"
import { Badge, Card, Empty, Link, When } from "../../parts/basics.tsx"
import { TurnLine } from "../../parts/turn.tsx"
import { actorWord, plain, toolWord } from "../../parts/words.ts"

/** Such as "You said it in a terminal". */
function originOf({ source, history: [first] }: Answer<"show">): string {
  const who = first && actorWord(first.actor)
  if (source !== "user-stated" && source !== "user-corrected")
    return `It was ${source}${who ? `, by ${who}` : ""}`
  if (!who) return "You said it"
  return who.startsWith("you, ") ? `You said it ${who.slice(5)}` : `You said it, by ${who}`
}

/** The very turn it was learned from, or who said it. */
export function Origin({
  provenance,
  memory,
}: {
  provenance: Answer<"provenance"> | undefined
  memory: Answer<"show">
}) {
  if (provenance === undefined) return null
  const { session, turns } = provenance
  return (
    <Card title="Where it comes from">
      {session === null ? (
        <p className="flush">
          {originOf(memory)}, <When at={memory.createdAt} />.
          {memory.details.context ? ` Context: ${plain(memory.details.context)}` : ""}
        </p>
      ) : (
        <>
          <p className="flush">
            {toolWord(session.tool)} ·{" "}
            <Link to={`/sessions/${encodeURIComponent(session.id)}`} className="under">
              {session.title ? plain(session.title) : "the session"}
            </Link>
            {session.projectName ? ` · ${session.projectName}` : ""} · <When at={session.startedAt} />
          </p>
          {turns.length === 0 ? (
            <p className="faint small">The words of that session are no longer kept (sessions.keep_days).</p>
          ) : (
            turns.map((turn) => <TurnLine key={turn.position} turn={turn} isSource={turn.isSource} />)
          )}
        </>
      )}
    </Card>
  )
}

/** The sessions it came up in by itself, and whether it helped. */
export function CameUp({
  provenance,
  memory,
}: {
  provenance: Answer<"provenance"> | undefined
  memory: Answer<"show">
}) {
  if (provenance === undefined) return null
  const { helpful = 0, unhelpful = 0 } = memory.details
  return (
    <Card title="When it came up">
      <p className="faint small flush">
        {helpful + unhelpful === 0
          ? "Nobody has said yet whether it helped."
          : `It helped ${helpful}×, and did not ${unhelpful}×.`}
      </p>
      {provenance.surfaced.length === 0 ? (
        <Empty title="It has not come up by itself yet." />
      ) : (
        <ul className="rows">
          {provenance.surfaced.map((one) => (
            <li key={`${one.session} ${one.at}`}>
              <div className="row">
                <span className="row-line">
                  <Badge>{toolWord(one.tool)}</Badge>
                  {one.isKept ? (
                    <Link to={`/sessions/${encodeURIComponent(one.session)}`} className="under">
                      {one.title ? plain(one.title).slice(0, 80) : "the session"}
                    </Link>
                  ) : (
                    <span className="mono">{one.session}</span>
                  )}
                  <span className="faint small">
                    prompt {one.turn} · <When at={one.at} />
                  </span>
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
