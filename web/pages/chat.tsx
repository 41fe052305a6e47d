import { useState } from "react"
import type { Answer } from "../../src/api/contract/answers.ts"
import type { ChatState } from "../../src/api/contract/chat-answers.ts"
import {
  Badge,
  Button,
  Card,
  Empty,
  Head,
  Load,
  Loading,
  Marked,
  Problem,
  Text,
  When,
} from "../parts/basics.tsx"
import { TextField } from "../parts/inputs.tsx"
import { Rows, Table } from "../parts/lists.tsx"
import { count, dollars, safeText } from "../parts/words.ts"
import { useActions } from "../state/actions.ts"
import { client } from "../state/client.ts"
import { messageOf, useData } from "../state/use-data.ts"

/** Communities, the bot's own ideas, decisions with their reasons, the policy of a channel, and costs. */
export function Chat() {
  const chat = useData("chat", () => client.chat(), ["chat.", "daemon."])
  const why = useData("chat why", lastDecisions, ["chat."])
  const stats = useData("chat stats", () => client.chatStats({ days: 7 }), ["chat."])
  const { run } = useActions()
  const state = chat.data?.chat ?? null
  const mute = (off: boolean) =>
    void run(() => client.chatMute({ off }), off ? "Unmuted." : "Muted everywhere.").then(chat.reload)
  return (
    <div className="page">
      <Head title="Chat" about="The connected communities, and why the bot spoke or stayed silent.">
        {state ? (
          <Button onClick={() => mute(state.isMuted)}>{state.isMuted ? "Unmute" : "Mute everywhere"}</Button>
        ) : null}
      </Head>
      {chat.data === undefined ? (
        <Loading error={chat.error} reload={chat.reload} />
      ) : (
        <div className="stack">
          <Communities state={state} />
          <Thoughts />
          <Policy />
          <Card title="Why">
            {why.data === undefined ? (
              <Loading error={why.error} />
            ) : (
              <Rows
                items={why.data.decisions}
                keyOf={({ at, room, kind }) => `${at} ${room} ${kind}`}
                empty={
                  <Empty title="It has decided nothing yet.">
                    Each time it speaks or stays silent, the reason appears here.
                  </Empty>
                }
              >
                {({ at, room, kind, text }) => (
                  <div className="row">
                    <Text text={text} />
                    <span className="meta">
                      <Badge>{kind.replace(/^chat\./, "")}</Badge>
                      <span>{safeText(room)}</span>
                      <When at={at} />
                    </span>
                  </div>
                )}
              </Rows>
            )}
          </Card>
          <Stats rooms={stats.data?.rooms ?? []} />
        </div>
      )}
    </div>
  )
}

/** The latest decisions; none if the journal has no chat entries. */
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
              <Badge key={id}>{safeText(name)}</Badge>
            ))}
          </div>
        </div>
      ))}
      <p className="faint small flush">
        {state.rooms} active conversations, {state.replying} being answered.
      </p>
    </Card>
  )
}

/** What the bot may say unasked in each community, earlier outcomes, and why it is silent. */
function Thoughts() {
  const thoughts = useData("chat thoughts", () => client.chatThoughts({ limit: 5 }), ["chat.", "thought."])
  return (
    <Card title="Thoughts of its own">
      <Load from={thoughts}>
        {({ communities, note }) => (
          <>
            {communities.map((one) => (
              <CommunityThoughts key={one.community} {...one} />
            ))}
            {note === null ? null : communities.length === 0 ? (
              <Empty title="It has had none yet.">
                <Marked text={note} />
              </Empty>
            ) : (
              <p className="faint small flush">
                <Marked text={note} />
              </p>
            )}
          </>
        )}
      </Load>
    </Card>
  )
}

type ThoughtsOf = Answer<"chatThoughts">["communities"][number]

function CommunityThoughts({ community, thought, postsToday, silence, recent }: ThoughtsOf) {
  return (
    <div className="community">
      <div className="row-line">
        <strong>{safeText(community)}</strong>
        <span className="faint small">{count(postsToday, "post")} within 24 hours</span>
      </div>
      {thought ? (
        <ul className="rows">
          <li>
            <div className="row">
              <Text text={thought.text} />
              <span className="meta">
                <Badge tone="accent">{thought.isLeaving ? "being posted" : "waiting"}</Badge>
                <span>for {safeText(thought.room)}</span>
                <span>
                  thought <When at={thought.createdAt} />
                </span>
                <span>
                  expires <When at={thought.expiresAt} />
                </span>
                {thought.media ? <span>with media: {thought.media.kind}</span> : null}
              </span>
              {thought.reason === "" ? null : <span className="faint small">{safeText(thought.reason)}</span>}
            </div>
          </li>
        </ul>
      ) : null}
      {silence ? (
        <p className="faint small flush">
          Silent now ({silence.gate}): {safeText(silence.reason)}
        </p>
      ) : null}
      <Rows items={recent} keyOf={({ at, kind }) => `${at} ${kind}`}>
        {({ at, what, reason, room }) => (
          <div className="row">
            <Text text={reason === "" ? what : reason} />
            <span className="meta">
              {reason === "" ? null : <Badge>{what}</Badge>}
              {room === null ? null : <span>{safeText(room)}</span>}
              <When at={at} />
            </span>
          </div>
        )}
      </Rows>
    </div>
  )
}

/** Explains what the bot would do in a channel. */
function Policy() {
  const [channel, setChannel] = useState("")
  const [message, setMessage] = useState("")
  const [answer, setAnswer] = useState<Answer<"chatPolicy">>()
  const [problem, setProblem] = useState<string>()
  const ask = () =>
    client.chatPolicy({ channel, ...(message === "" ? {} : { message }) }).then(
      (explained) => {
        setAnswer(explained)
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
        <TextField label="Channel, such as irc/libera/#garden" value={channel} onChange={setChannel} />
        <TextField label="A message (may be empty)" value={message} onChange={setMessage} />
        <button type="submit" className="button" disabled={channel.trim() === ""}>
          Explain
        </button>
      </form>
      {problem ? (
        <Problem text={problem} />
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

function Stats({ rooms }: Pick<Answer<"chatStats">, "rooms">) {
  if (rooms.length === 0) return null
  return (
    <Card title="The last seven days">
      <Table
        texts={["Channel"]}
        numbers={["Messages", "Calls", "Replies", "Stayed silent", "Paid"]}
        rows={rooms.map(({ room, messages, calls, replies, silences, usd }) => [
          safeText(room),
          messages,
          calls,
          replies,
          silences,
          dollars(usd),
        ])}
      />
    </Card>
  )
}
