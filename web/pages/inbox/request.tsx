import type { RequestJson } from "../../../src/api/contract/tending-answers.ts"
import { Badge, Diff, Link, Text, When } from "../../parts/basics.tsx"
import { plain } from "../../parts/words.ts"
import { CameOfIt } from "./came-of-it.tsx"
import { Deciding } from "./deciding.tsx"

/** Whether a person can still decide it. */
export function isWaiting({ state, expiresAt }: RequestJson): boolean {
  return state === "pending" && Date.parse(expiresAt) > Date.now()
}

/** One request: what it would do, its risks, the exact call, and what came of it. */
export function Request({ request }: { request: RequestJson }) {
  const { context } = request
  const isOpen = isWaiting(request)
  const edited = request.decision?.input
  return (
    <section className="card" aria-label="Permission request">
      <div className="row-line small">
        <Badge tone={request.urgency === "high" ? "bad" : "accent"}>{request.urgency} urgency</Badge>
        <span className="faint">
          {plain(request.action)} · {request.projectName ?? "no project"} · asked{" "}
          <When at={request.createdAt} /> by{" "}
          {request.askedBy.startsWith("cycle_") ? (
            <Link to={`/cycles/${request.askedBy}`} className="under">
              a cycle
            </Link>
          ) : (
            plain(request.askedBy)
          )}
        </span>
        {isOpen ? (
          <span className="faint">
            expires <When at={request.expiresAt} />
          </span>
        ) : (
          <Badge>{request.state}</Badge>
        )}
      </div>
      <h2 className="request-title">
        <Text text={request.description} className="memory-text" />
      </h2>
      <Text text={request.rationale} className="soft" />
      <Listed title="Risks" lines={context.risks} isWarning />
      <Listed title="It would do" lines={context.planned_steps} />
      <Listed title="Commands" lines={context.commands} isCode />
      <Listed title="Files" lines={context.files} isCode />
      <Said title="Then" text={context.expected_outcome} />
      <Said title="To take it back" text={context.rollback} />
      {context.diff === "" ? null : (
        <>
          <h3 className="small-title">Difference</h3>
          <Diff lines={context.diff.split("\n")} />
        </>
      )}
      {context.tests === "" ? null : (
        <details className="why">
          <summary>What the tests said</summary>
          <pre className="block">{plain(context.tests)}</pre>
        </details>
      )}
      {request.call ? (
        <details className="why" open={edited !== null && edited !== undefined}>
          <summary>
            Exactly this {ranWord(request)}: <code>{plain(request.call.tool)}</code>
            {edited ? " (as you edited it)" : ""}
          </summary>
          <pre className="block">{plain(JSON.stringify(edited ?? request.call.input, null, 2))}</pre>
        </details>
      ) : null}
      {request.decision ? <CameOfIt request={request} /> : null}
      {isOpen ? <Deciding request={request} /> : null}
    </section>
  )
}

function ranWord({ state }: RequestJson): string {
  if (state === "done" || state === "failed") return "ran"
  return state === "denied" || state === "answered" || state === "expired" ? "was asked for" : "runs"
}

function Listed({
  title,
  lines,
  isWarning = false,
  isCode = false,
}: {
  title: string
  lines: readonly string[]
  isWarning?: boolean
  isCode?: boolean
}) {
  if (lines.length === 0) return null
  return (
    <div className={isWarning ? "notice warn listed" : "listed"}>
      <h3 className="small-title">{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{isCode ? <code>{plain(line)}</code> : <Text text={line} />}</li>
        ))}
      </ul>
    </div>
  )
}

function Said({ title, text }: { title: string; text: string }) {
  if (text === "") return null
  return (
    <div className="listed">
      <h3 className="small-title">{title}</h3>
      <Text text={text} />
    </div>
  )
}
