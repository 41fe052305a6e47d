import type { ModelRequest } from "../model-server/asked.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { itemsIn } from "../worlds/tend-world.ts"
import { rightLine, wrongLine } from "./failing-project.ts"

/** Has the scripted model fix the failing test that it is told of, step by step, and put the change before the person. */
export function playFixer(server: ModelServer): void {
  server.always(nextStep)
}

function nextStep({ asked }: ModelRequest) {
  const said = JSON.stringify(asked.messages)
  const project = /fix_failing_test in (p_[a-z0-9]+)/.exec(said)?.[1]
  const work = /Begun as (work_[a-z0-9]+)/.exec(said)?.[1]
  const isAsked = /Asked as ask_|Not (?:asked|proposed|begun)|Do not propose/.test(said)
  if (project === undefined || isAsked) return ending(said)
  if (work === undefined) return call("work_begin", { project, subject: "fix the sum" })
  if (!said.includes("Edited sum.mjs"))
    return call("work_edit", { work, path: "sum.mjs", before: wrongLine, after: rightLine })
  return call("work_propose", {
    work,
    kind: "fix_failing_test",
    title: "Add instead of subtracting",
    summary: "sum subtracted; the test passes now.",
    rationale: "The tests fail.",
    risks: ["somebody may rely on the wrong sum"],
    draft_pull_request: false,
  })
}

function ending(said: string) {
  const done = itemsIn(said).map((id) => ({ name: "queue_done", input: { id, result: "Seen to." } }))
  return { calls: [...done, { name: "end_ambient_cycle", input: { summary: "Looked at the tests." } }] }
}

function call(name: string, input: object) {
  return { calls: [{ name, input }] }
}
