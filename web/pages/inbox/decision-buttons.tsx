import { useState } from "react"
import type { RequestJson } from "../../../src/api/contract/tending-answers.ts"
import { Ask } from "../../parts/ask.tsx"
import { Button } from "../../parts/basics.tsx"
import { useActions } from "../../state/actions.ts"
import { client } from "../../state/client.ts"
import { useKeys } from "../../state/keys.ts"

type Doing = "respond" | "deny" | "edit" | undefined

/** The user's decision about a request, by button and by key. */
export function DecisionButtons({ request }: { request: RequestJson }) {
  const { notify, run } = useActions()
  const [doing, setDoing] = useState<Doing>()
  const { id, digest } = request
  const common = { digest, from: "web" } as const
  const approve = () =>
    void run(
      () => client.decide(id, { kind: "approve", ...common }),
      "Approved. It runs once, exactly as shown.",
    )
  useKeys(
    {
      a: approve,
      d: () => setDoing("deny"),
      r: () => setDoing("respond"),
      ...(request.call ? { e: () => setDoing("edit") } : {}),
    },
    doing === undefined,
  )
  const send =
    (decide: (text: string) => Parameters<typeof client.decide>[1], done: string) => async (text: string) => {
      await client.decide(id, decide(text))
      notify({ text: done, tone: "good" })
      return undefined
    }
  const close = () => setDoing(undefined)
  return (
    <>
      <div className="buttons deciding">
        <Button kind="primary" hint="a" onClick={approve}>
          Approve
        </Button>
        {request.call ? (
          <Button hint="e" onClick={() => setDoing("edit")}>
            Edit and approve
          </Button>
        ) : null}
        <Button hint="r" onClick={() => setDoing("respond")}>
          Respond
        </Button>
        <Button kind="danger" hint="d" onClick={() => setDoing("deny")}>
          Deny
        </Button>
      </div>
      {doing === "deny" ? (
        <Ask
          title="Deny"
          label="Why not? (may be empty)"
          action="Deny"
          mayBeEmpty
          onClose={close}
          onDone={send(
            (text) => ({ kind: "deny", ...common, ...(text === "" ? {} : { text }) }),
            "Denied. It does not run.",
          )}
        />
      ) : null}
      {doing === "respond" ? (
        <Ask
          title="Respond"
          label="What should it know, or do instead?"
          isLong
          action="Send"
          onClose={close}
          onDone={send(
            (text) => ({ kind: "respond", ...common, text }),
            "Your answer goes to the agent. The request does not run.",
          )}
        />
      ) : null}
      {doing === "edit" && request.call ? (
        <Ask
          title="Edit and approve"
          label="What runs instead, as JSON"
          initial={JSON.stringify(request.call.input, null, 2)}
          isLong
          action="Approve this"
          onClose={close}
          onDone={send(
            (text) => ({ kind: "approve", ...common, input: JSON.parse(text) }),
            "Approved as you edited it.",
          )}
        />
      ) : null}
    </>
  )
}
