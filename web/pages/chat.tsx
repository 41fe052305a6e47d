import { useState } from "react"
import type { Answer } from "../../src/api/contract/answers.ts"
import type { ChatState } from "../../src/api/contract/chat-answers.ts"
import { Badge, Button, Card, Empty, Head, Marked, Text, Waiting, When } from "../parts/basics.tsx"
import { count, plain } from "../parts/words.ts"
import { useActs } from "../state/act.ts"
import { client } from "../state/client.ts"
import { messageOf, useData } from "../state/use-data.ts"

/** Communities, what would happen in a channel, why something happened, and what it costs. */
export function Chat() {
  const chat = useData("chat", () => client.chat(), ["chat.", "daemon."])
  const why = useData("chat why", lastDecisions, ["chat."])
  const stats = useData("chat stats", () => client.chatStats({ days: 7 }), ["chat."])
  const { act } = useActs()
  const state = chat.data?.chat ?? null
  const mute = (off: boolean) =>
    void act(
      async () => void (await client.chatMute({ off })),
      off ? "It may speak again." : "Muted everywhere.",
    ).then(chat.reload)
  return (
    <div className="page">
      <Head title="Chat" about="Where it listens, when it speaks, and why it did or did not.">
        {state ? (
          <Button onClick={() => mute(state.isMuted)}>
            {state.isMuted ? "Let it speak again" : "Mute everywhere"}
          </Button>
        ) : null}
      </Head>
      {chat.data === undefined ? (
        <Waiting error={chat.error} reload={chat.reload} />
      ) : (
        <div className="stack">
          <Communities state={state} />
          <Thoughts />
          <Policy />
          <Card title="Why">
            {why.data === undefined ? (
              <Waiting error={why.error} />
            ) : why.data.decisions.length === 0 ? (
              <Empty title="It has decided nothing yet.">
                Each time it speaks or stays silent, the reason appears here.
              </Empty>
            ) : (
              <ul className="rows">
                {why.data.decisions.map((one) => (
                  <li key={`${one.at} ${one.room} ${one.kind}`}>
                    <div className="row">
                      <Text text={one.text} />
                      <span className="meta">
                        <Badge>{one.kind.replace(/^chat\./, "")}</Badge>
                        <span>{plain(one.room)}</span>
                        <When at={one.at} />
                      </span>
                    </div>
                  </li>
                ))}
              </ul>
            )}
          </Card>
          <Stats rooms={stats.data?.rooms ?? []} />
        </div>
      )}
    </div>
  )
}

/** Why something was done last; nothing where the journal knows of no chat. */
async function lastDecisions() {
  const { entries } = await client.journal({ kind: "chat.", newest: "true", limit: 1 })
  return entries.length === 0 ? { decisions: [] } : client.chatWhy({})
}

const tones = { connected: "good", connecting: "accent", disconnected: "warn", broken: "bad" } as const

function Communities({ state }: { state: ChatState | null }) {
  if (state === null || state.channels.length === 0)
    return (
      <Card title="Communities">
        <Empty title="No chat channel is switched on.">
          <code>reverie chat setup discord</code> or <code>reverie chat setup irc</code> connects one.
        </Empty>
        {(state?.problems ?? []).map((problem) => (
          <div key={problem} className="notice bad">
            <Marked text={problem} />
          </div>
        ))}
      </Card>
    )
  return (
    <Card title="Communities">
      {state.isMuted ? <div className="notice warn">It is muted everywhere.</div> : null}
      {state.channels.map((channel) => (
        <div key={channel.platform} className="community">
          <div className="row-line">
            <strong>{channel.platform}</strong>
            <Badge tone={tones[channel.state]}>{channel.state}</Badge>
            <span className="faint small">
              since <When at={channel.since} />
            </span>
          </div>
          {channel.problem ? <div className="notice bad">{channel.problem}</div> : null}
          <div className="row-line">
            {channel.communities.map(({ id, name }) => (
              <Badge key={id}>{plain(name)}</Badge>
            ))}
          </div>
        </div>
      ))}
      <p className="faint small flush">
        {state.rooms} conversations awake, {state.replying} being answered.
      </p>
    </Card>
  )
}

/** What it thinks of saying by itself in each community, what became of it, and why it says nothing. */
function Thoughts() {
  const told = useData("chat thoughts", () => client.chatThoughts({ limit: 5 }), ["chat.", "thought."])
  return (
    <Card title="Thoughts of its own">
      {told.data === undefined ? (
        <Waiting error={told.error} reload={told.reload} />
      ) : (
        <>
          {told.data.communities.map((one) => (
            <CommunityThoughts key={one.community} told={one} />
          ))}
          {told.data.note === null ? null : told.data.communities.length === 0 ? (
            <Empty title="It has had none yet.">
              <Marked text={told.data.note} />
            </Empty>
          ) : (
            <p className="faint small flush">
              <Marked text={told.data.note} />
            </p>
          )}
        </>
      )}
    </Card>
  )
}

function CommunityThoughts({ told }: { told: Answer<"chatThoughts">["communities"][number] }) {
  const { community, thought, postsToday, silence, recent } = told
  return (
    <div className="community">
      <div className="row-line">
        <strong>{plain(community)}</strong>
        <span className="faint small">{count(postsToday, "thing")} said within 24 hours</span>
      </div>
      {thought ? (
        <ul className="rows">
          <li>
            <div className="row">
              <Text text={thought.text} />
              <span className="meta">
                <Badge tone="accent">{thought.isLeaving ? "being said" : "kept"}</Badge>
                <span>for {plain(thought.room)}</span>
                <span>
                  thought <When at={thought.createdAt} />
                </span>
                <span>
                  expires <When at={thought.expiresAt} />
                </span>
                {thought.media ? <span>with media: {thought.media.kind}</span> : null}
              </span>
              {thought.reason === "" ? null : <span className="faint small">{plain(thought.reason)}</span>}
            </div>
          </li>
        </ul>
      ) : null}
      {silence ? (
        <p className="faint small flush">
          It says nothing now ({silence.gate}): {plain(silence.reason)}
        </p>
      ) : null}
      {recent.length === 0 ? null : (
        <ul className="rows">
          {recent.map((one) => (
            <li key={`${one.at} ${one.kind}`}>
              <div className="row">
                <Text text={one.reason === "" ? one.what : one.reason} />
                <span className="meta">
                  {one.reason === "" ? null : <Badge>{one.what}</Badge>}
                  {one.room === null ? null : <span>{plain(one.room)}</span>}
                  <When at={one.at} />
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** What would happen in a channel. */
function Policy() {
  const [channel, setChannel] = useState("")
  const [message, setMessage] = useState("")
  const [answer, setAnswer] = useState<Answer<"chatPolicy">>()
  const [problem, setProblem] = useState<string>()
  const ask = () =>
    client.chatPolicy({ channel, ...(message === "" ? {} : { message }) }).then(
      (told) => {
        setAnswer(told)
        setProblem(undefined)
      },
      (error: unknown) => setProblem(messageOf(error)),
    )
  return (
    <Card title="What would happen?">
      <form
        className="queue-form"
        onSubmit={(event) => {
          event.preventDefault()
          void ask()
        }}
      >
        <label className="field">
          <span>Channel, such as irc/libera/#garden</span>
          <input type="text" value={channel} onChange={({ target }) => setChannel(target.value)} />
        </label>
        <label className="field">
          <span>Somebody says (may be empty)</span>
          <input type="text" value={message} onChange={({ target }) => setMessage(target.value)} />
        </label>
        <button type="submit" className="button" disabled={channel.trim() === ""}>
          Explain
        </button>
      </form>
      {problem ? (
        <div className="notice bad" role="alert">
          <Marked text={problem} />
        </div>
      ) : answer ? (
        <ul>
          {answer.sentences.map((sentence) => (
            <li key={sentence}>
              <Text text={sentence} />
            </li>
          ))}
        </ul>
      ) : null}
    </Card>
  )
}

function Stats({
  rooms,
}: {
  rooms: { room: string; messages: number; calls: number; replies: number; silences: number; usd: number }[]
}) {
  if (rooms.length === 0) return null
  return (
    <Card title="The last seven days">
      <div className="scroll-x">
        <table className="table">
          <thead>
            <tr>
              <th>Channel</th>
              <th className="number">Messages</th>
              <th className="number">Calls</th>
              <th className="number">Replies</th>
              <th className="number">Stayed silent</th>
              <th className="number">Paid</th>
            </tr>
          </thead>
          <tbody>
            {rooms.map((room) => (
              <tr key={room.room}>
                <td>{plain(room.room)}</td>
                <td className="number">{room.messages}</td>
                <td className="number">{room.calls}</td>
                <td className="number">{room.replies}</td>
                <td className="number">{room.silences}</td>
                <td className="number">{room.usd === 0 ? "–" : `$${room.usd.toFixed(2)}`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}
