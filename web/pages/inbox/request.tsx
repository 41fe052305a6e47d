import type { RequestJson } from "../../../src/api/contract/tending-answers.ts"
import { Badge, Diff, Link, Text, When } from "../../parts/basics.tsx"
import { safeText } from "../../parts/words.ts"
import { DecisionButtons } from "./decision-buttons.tsx"
import { Outcome } from "./outcome.tsx"

/** Whether the user can still decide it. */
export function isWaiting({ state, expiresAt }: RequestJson): boolean {
  return state === "pending" && Date.parse(expiresAt) > Date.now()
}

/** One request: its effect, its risks, the exact call, and its outcome. */
export function Request({ request }: { request: RequestJson }) {
  const { context } = request
  const isOpen = isWaiting(request)
  const edited = request.decision?.input
  return (
    <section className="card" aria-label="Permission request">
      <div className="row-line small">
        <Badge tone={request.urgency === "high" ? "bad" : "accent"}>{request.urgency} urgency</Badge>
        <span className="faint">
          {safeText(request.action)} · {request.projectName ?? "no project"} · asked{" "}
          <When at={request.createdAt} /> by{" "}
          {request.askedBy.startsWith("cycle_") ? (
            <Link to={`/cycles/${request.askedBy}`} className="under">
              a cycle
            </Link>
          ) : (
            safeText(request.askedBy)
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
      <Listed title="Planned steps" lines={context.planned_steps} />
      <Listed title="Commands" lines={context.commands} isCode />
      <Listed title="Files" lines={context.files} isCode />
      <Section title="Expected result" text={context.expected_outcome} />
      <Section title="To undo it" text={context.rollback} />
      {context.diff === "" ? null : (
        <>
          <h3 className="small-title">Difference</h3>
          <Diff lines={context.diff.split("\n")} />
        </>
      )}
      {context.tests === "" ? null : (
        <details className="why">
          <summary>Test results</summary>
          <pre className="block">{safeText(context.tests)}</pre>
        </details>
      )}
      {request.call ? (
        <details className="why" open={edited !== null && edited !== undefined}>
          <summary>
            Exactly this {runVerb(request)}: <code>{safeText(request.call.tool)}</code>
            {edited ? " (as you edited it)" : ""}
          </summary>
          <pre className="block">{safeText(JSON.stringify(edited ?? request.call.input, null, 2))}</pre>
        </details>
      ) : null}
      {request.decision ? <Outcome request={request} /> : null}
      {isOpen ? <DecisionButtons request={request} /> : null}
    </section>
  )
}

function runVerb({ state }: RequestJson): string {
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
          <li key={line}>{isCode ? <code>{safeText(line)}</code> : <Text text={line} />}</li>
        ))}
      </ul>
    </div>
  )
}

function Section({ title, text }: { title: string; text: string }) {
  if (text === "") return null
  return (
    <div className="listed">
      <h3 className="small-title">{title}</h3>
      <Text text={text} />
    </div>
  )
}
