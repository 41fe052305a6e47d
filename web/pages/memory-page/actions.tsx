import { useState } from "react"
import type { Answer } from "../../../src/api/contract/answers.ts"
import { Ask } from "../../parts/ask.tsx"
import { Button } from "../../parts/basics.tsx"
import { Select } from "../../parts/inputs.tsx"
import { savedMessage } from "../../parts/words.ts"
import { useActions } from "../../state/actions.ts"
import { client } from "../../state/client.ts"
import { useKeys } from "../../state/keys.ts"

type Doing = "edit" | "tag" | "link" | undefined

/** The actions on a memory, by button and by key. */
export function MemoryActions({ memory }: { memory: Answer<"show"> }) {
  const [doing, setDoing] = useState<Doing>()
  const { act } = useActions()
  const { id } = memory
  const isAway =
    memory.status === "forgotten" || memory.status === "archived" || memory.status === "quarantined"
  const forget = () => void act(() => client.forget({ ids: [id] }), "Forgotten.")
  const restore = () =>
    void act(() => client.restore({ ids: [id] }), memory.status === "quarantined" ? "Accepted." : "Restored.")
  const rate = (rating: "helpful" | "unhelpful") =>
    void act(
      () => client.rate({ id, rating }),
      rating === "helpful" ? "Rated as helpful." : "Rated as unhelpful.",
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

interface DialogProps {
  memory: Answer<"show">
  onClose(): void
}

function Edit({ memory, onClose }: DialogProps) {
  const { act } = useActions()
  return (
    <Ask
      title="Edit"
      label="Text"
      initial={memory.content}
      isLong
      action="Save"
      onClose={onClose}
      onDone={async (content) => {
        const answer = await client.edit(memory.id, { content })
        if (answer.outcome === "refused" && "reason" in answer) return `Not saved: ${answer.reason}`
        await act(async () => ("operation" in answer ? answer : undefined), savedMessage(answer))
        return undefined
      }}
    />
  )
}

function Tag({ memory, onClose }: DialogProps) {
  const { act } = useActions()
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

type LinkKind = "relates-to" | "supersedes" | "contradicts" | "derived-from"
const linkKinds: [LinkKind, string][] = [
  ["relates-to", "relates to"],
  ["supersedes", "supersedes"],
  ["contradicts", "contradicts"],
  ["derived-from", "derived from"],
]

function LinkTo({ memory, onClose }: DialogProps) {
  const { act } = useActions()
  const [kind, setKind] = useState<LinkKind>("relates-to")
  return (
    <Ask
      title="Link"
      label="Words of the other memory, or its id"
      action="Link"
      onClose={onClose}
      onDone={async (text) => {
        const target = /^m_[0-9a-z]+$/.test(text) ? text : await bestMatch(text, memory.id)
        if (target === undefined) return "No memory matches these words."
        await act(() => client.link({ source: memory.id, kind, target }), "Linked.")
        return undefined
      }}
    >
      <Select
        label="This memory …"
        isField
        value={kind}
        options={linkKinds}
        onChange={(next) => setKind(next)}
      />
    </Ask>
  )
}

async function bestMatch(query: string, except: string): Promise<string | undefined> {
  const { results } = await client.search({ query, limit: 5, allProjects: "true" })
  return results.find(({ id }) => id !== except)?.id
}
