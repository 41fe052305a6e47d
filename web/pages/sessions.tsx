import { useState } from "react"
import type { SessionJson } from "../../src/api/contract/session-answers.ts"
import { Badge, Button, Card, Empty, Head, Link, Text, Waiting, When } from "../parts/basics.tsx"
import { count, plain, toolWord } from "../parts/words.ts"
import { useActs } from "../state/act.ts"
import { client } from "../state/client.ts"
import { useData } from "../state/use-data.ts"

const tones = { active: "good", idle: "accent", closed: "none", crashed: "bad" } as const

/** What was read from which tool, and what it taught. */
export function Sessions() {
  const [tool, setTool] = useState("")
  const found = useData(
    `sessions ${tool}`,
    () => client.sessions({ limit: 200, ...(tool === "" ? {} : { tool }) }),
    ["session.", "turns."],
  )
  const { act } = useActs()
  const sessions = found.data?.sessions ?? []
  const tools = [
    ...new Set([...sessions.map((session) => session.tool), ...(tool === "" ? [] : [tool])]),
  ].sort()
  return (
    <div className="page">
      <Head
        title="Sessions"
        about="Your work with coding agents, as it was read, and what was learned from it."
      >
        <select
          aria-label="Tool"
          className="slim"
          value={tool}
          onChange={({ target }) => setTool(target.value)}
        >
          <option value="">All tools</option>
          {tools.map((one) => (
            <option key={one} value={one}>
              {toolWord(one)}
            </option>
          ))}
        </select>
      </Head>
      {found.data === undefined ? (
        <Waiting error={found.error} reload={found.reload} />
      ) : (
        <div className="stack">
          {found.data.skipped.length > 0 ? (
            <div className="notice warn">
              {count(found.data.skipped.length, "transcript")} cannot be read:{" "}
              {found.data.skipped.map(({ place, reason }) => `${place} (${reason})`).join("; ")}{" "}
              <Button
                isTiny
                onClick={() =>
                  void act(async () => void (await client.retrySessions({})), "They will be read again.")
                }
              >
                Try again
              </Button>
            </div>
          ) : null}
          <Card>
            {sessions.length === 0 ? (
              <Empty title="No session has been read yet.">
                Work with Claude Code, Codex, OpenCode, Gemini CLI, pi or jcode on this machine; their
                sessions appear here.
              </Empty>
            ) : (
              <ul className="rows">
                {sessions.map((session) => (
                  <li key={session.id}>
                    <Row session={session} />
                  </li>
                ))}
              </ul>
            )}
          </Card>
        </div>
      )}
    </div>
  )
}

function Row({ session }: { session: SessionJson }) {
  return (
    <Link to={`/sessions/${encodeURIComponent(session.id)}`} className="row" isRow>
      <Text text={session.title ?? "Untitled session"} line />
      <span className="meta">
        <Badge>{toolWord(session.tool)}</Badge>
        <Badge tone={tones[session.status]}>{session.status}</Badge>
        {session.projectName ? <span>{plain(session.projectName)}</span> : null}
        {session.branch ? <span className="mono">{plain(session.branch)}</span> : null}
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
