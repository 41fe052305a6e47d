import { useState } from "react"
import type { Answer } from "../../../src/api/contract/answers.ts"
import { Ask } from "../../parts/ask.tsx"
import { Button } from "../../parts/basics.tsx"
import { savedWords } from "../../parts/words.ts"
import { useActs } from "../../state/act.ts"
import { client } from "../../state/client.ts"
import { useKeys } from "../../state/keys.ts"
import { messageOf } from "../../state/use-data.ts"

type Doing = "edit" | "tag" | "link" | undefined

/** What can be done with it, by button and by key. */
export function Acting({ memory }: { memory: Answer<"show"> }) {
  const [doing, setDoing] = useState<Doing>()
  const { act } = useActs()
  const { id } = memory
  const isAway =
    memory.status === "forgotten" || memory.status === "archived" || memory.status === "quarantined"
  const forget = () => void act(() => client.forget({ ids: [id] }), "Forgotten.")
  const restore = () =>
    void act(() => client.restore({ ids: [id] }), memory.status === "quarantined" ? "Accepted." : "Restored.")
  const rate = (rating: "helpful" | "unhelpful") =>
    void act(
      () => client.rate({ id, rating }),
      rating === "helpful" ? "Noted: it helped." : "Noted: it did not help.",
    )
  useKeys(
    {
      e: () => setDoing("edit"),
      t: () => setDoing("tag"),
      l: () => setDoing("link"),
      "+": () => rate("helpful"),
      "-": () => rate("unhelpful"),
      f: () => memory.status !== "forgotten" && forget(),
      r: () => isAway && restore(),
    },
    doing === undefined,
  )
  return (
    <>
      <div className="buttons acting">
        <Button hint="e" onClick={() => setDoing("edit")}>
          Edit
        </Button>
        {isAway ? (
          <Button hint="r" kind="primary" onClick={restore}>
            {memory.status === "quarantined" ? "Accept" : "Restore"}
          </Button>
        ) : null}
        {memory.status === "forgotten" ? null : (
          <Button hint="f" kind="danger" onClick={forget}>
            Forget
          </Button>
        )}
        <Button hint="t" onClick={() => setDoing("tag")}>
          Tag
        </Button>
        <Button hint="l" onClick={() => setDoing("link")}>
          Link
        </Button>
        <Button hint="+" onClick={() => rate("helpful")}>
          Helped
        </Button>
        <Button hint="-" onClick={() => rate("unhelpful")}>
          Did not
        </Button>
      </div>
      {doing === "edit" ? <Edit memory={memory} onClose={() => setDoing(undefined)} /> : null}
      {doing === "tag" ? <Tag memory={memory} onClose={() => setDoing(undefined)} /> : null}
      {doing === "link" ? <LinkTo memory={memory} onClose={() => setDoing(undefined)} /> : null}
    </>
  )
}

interface Asking {
  memory: Answer<"show">
  onClose(): void
}

function Edit({ memory, onClose }: Asking) {
  const { act } = useActs()
  return (
    <Ask
      title="Edit"
      label="What it says"
      initial={memory.content}
      isLong
      action="Save"
      onClose={onClose}
      onDone={async (content) => {
        try {
          const answer = await client.edit(memory.id, { content })
          if (answer.outcome === "refused" && "reason" in answer) return `Not saved: ${answer.reason}`
          await act(async () => ("operation" in answer ? answer : undefined), savedWords(answer))
          return undefined
        } catch (error) {
          return messageOf(error)
        }
      }}
    />
  )
}

function Tag({ memory, onClose }: Asking) {
  const { act } = useActs()
  return (
    <Ask
      title="Tags"
      label="Tags, with spaces between them"
      initial={memory.tags.join(" ")}
      action="Save"
      mayBeEmpty
      onClose={onClose}
      onDone={async (text) => {
        const wanted = text.split(/[\s,]+/).filter((tag) => tag !== "")
        const add = wanted.filter((tag) => !memory.tags.includes(tag))
        const remove = memory.tags.filter((tag) => !wanted.includes(tag))
        await act(() => client.tag({ ids: [memory.id], add, remove }), "Tagged.")
        return undefined
      }}
    />
  )
}

const linkKinds = ["relates-to", "supersedes", "contradicts", "derived-from"] as const

function LinkTo({ memory, onClose }: Asking) {
  const { act } = useActs()
  const [kind, setKind] = useState<(typeof linkKinds)[number]>("relates-to")
  return (
    <Ask
      title="Link"
      label="Words of the other memory, or its id"
      action="Link"
      onClose={onClose}
      onDone={async (text) => {
        try {
          const target = /^m_[0-9a-z]+$/.test(text) ? text : await bestMatch(text, memory.id)
          if (target === undefined) return "No memory has these words."
          await act(() => client.link({ source: memory.id, kind, target }), "Linked.")
          return undefined
        } catch (error) {
          return messageOf(error)
        }
      }}
    >
      <label className="field">
        <span>This memory …</span>
        <select value={kind} onChange={({ target }) => setKind(target.value as typeof kind)}>
          {linkKinds.map((one) => (
            <option key={one} value={one}>
              {one.replace("-", " ")}
            </option>
          ))}
        </select>
      </label>
    </Ask>
  )
}

async function bestMatch(query: string, except: string): Promise<string | undefined> {
  const { results } = await client.search({ query, limit: 5, allProjects: "true" })
  return results.find(({ id }) => id !== except)?.id
}
