import { useState } from "react"
import type { SessionJson } from "../../src/api/contract/session-answers.ts"
import { Badge, Button, Card, Empty, Head, Link, Load, Text, When } from "../parts/basics.tsx"
import { Select } from "../parts/inputs.tsx"
import { Rows } from "../parts/lists.tsx"
import { count, safeText, toolName } from "../parts/words.ts"
import { useActions } from "../state/actions.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

const tones = { active: "good", idle: "accent", closed: "none", crashed: "bad" } as const

/** The sessions of coding agents, and how much was learned from each. */
export function Sessions() {
  const [tool, setTool] = useState("")
  const found = useData(
    `sessions ${tool}`,
    () => client.sessions({ limit: 200, ...(tool === "" ? {} : { tool }) }),
    ["session.", "turns."],
  )
  const { run } = useActions()
  const sessions = found.data?.sessions ?? []
  const tools = [
    ...new Set([...sessions.map((session) => session.tool), ...(tool === "" ? [] : [tool])]),
  ].sort()
  return (
    <div className="page">
      <Head title="Sessions" about="Your sessions with coding agents, and what was learned from them.">
        <Select
          label="Tool"
          value={tool}
          options={[["", "All tools"], ...tools.map((one): [string, string] => [one, toolName(one)])]}
          onChange={(next) => setTool(next)}
        />
      </Head>
      <Load from={found}>
        {({ skipped }) => (
          <div className="stack">
            {skipped.length > 0 ? (
              <div className="notice warn">
                {count(skipped.length, "transcript")} cannot be read:{" "}
                {skipped.map(({ place, reason }) => `${place} (${reason})`).join("; ")}{" "}
                <Button
                  isTiny
                  onClick={() => void run(() => client.retrySessions({}), "They will be read again.")}
                >
                  Try again
                </Button>
              </div>
            ) : null}
            <Card>
              <Rows
                items={sessions}
                keyOf={({ id }) => id}
                empty={
                  <Empty title="No session has been read yet.">
                    Work with Claude Code, Codex, OpenCode, Gemini CLI, pi or jcode on this machine; their
                    sessions appear here.
                  </Empty>
                }
              >
                {(session) => <Row session={session} />}
              </Rows>
            </Card>
          </div>
        )}
      </Load>
    </div>
  )
}

function Row({ session }: { session: SessionJson }) {
  return (
    <Link to={`/sessions/${encodeURIComponent(session.id)}`} className="row" isRow>
      <Text text={session.title ?? "Untitled session"} line />
      <span className="meta">
        <Badge>{toolName(session.tool)}</Badge>
        <Badge tone={tones[session.status]}>{session.status}</Badge>
        {session.projectName ? <span>{safeText(session.projectName)}</span> : null}
        {session.branch ? <span className="mono">{safeText(session.branch)}</span> : null}
        <span>{count(session.turns, "turn")}</span>
        <span className={session.learned > 0 ? "learned-count" : ""}>{session.learned} learned</span>
        {session.extractedTurns < session.turns ? (
          <span>{session.turns - session.extractedTurns} unread</span>
        ) : null}
        <When at={session.updatedAt} />
      </span>
    </Link>
  )
}
