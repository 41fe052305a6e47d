import { contextSchema, type NewRequest } from "../../src/safety/permission/request.ts"
import { addRequest } from "../../src/safety/permission/requests.ts"
import type { openActing } from "./acting-world.ts"

export type Acting = Awaited<ReturnType<typeof openActing>>

/** A memory that a cycle supposed, as most of those are that it may change; its id. */
export async function remembered(acting: Acting, text: string, more: object = {}): Promise<string> {
  const kept = await acting.remember(text, { source: "inferred", ...more })
  return "id" in kept ? (kept.id ?? "") : ""
}

/** Puts a request into the inbox as a cycle would have, without the work before it. */
export async function plant(acting: Acting, more: Partial<NewRequest> = {}) {
  const asked: NewRequest = {
    ...{
      askedBy: "cycle_1",
      project: null,
      action: "tidy_up",
      description: "a thing",
      rationale: "it is due",
    },
    ...{ urgency: "normal", wait: false, context: contextSchema.parse({}), call: null },
    expiresAt: acting.clock.now() + 3_600_000,
    ...more,
  }
  const { db, install, random, clock } = acting.needs
  return db.write((transaction) =>
    addRequest(transaction, { install, random, now: clock.now() }, asked, acting.by()),
  )
}

/** The call of a push that waits for a person. */
export const pushed = (more: object = {}) => ({
  tool: "push_branch",
  input: { work: "work_x", branch: "ambient/x", commit: "a".repeat(40), remote: "origin", ...more },
})

/** The lines that a diff changes. */
export function changedLines(diff: string): string[] {
  return diff.split("\n").filter((line) => /^[+-]/.test(line))
}
