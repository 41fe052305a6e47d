import { createHash } from "node:crypto"
import { z } from "zod"
import { withoutUnseen } from "../../base/text/unseen.ts"

export const urgencies = ["low", "normal", "high"] as const
export type Urgency = (typeof urgencies)[number]

const lines = z.array(z.string().max(1000)).max(50).default([])

/** What a person should know before they decide. */
export const contextSchema = z.object({
  summary: z.string().max(2000).default(""),
  planned_steps: lines,
  files: lines,
  commands: lines,
  risks: lines,
  rollback: z.string().max(2000).default(""),
  expected_outcome: z.string().max(2000).default(""),
  diff: z.string().max(200_000).default(""),
  tests: z.string().max(20_000).default(""),
})

type RequestContext = z.infer<typeof contextSchema>

/** What runs when the person approves: exactly this, once. */
export interface RequestedCall {
  tool: string
  input: Readonly<Record<string, unknown>>
}

export type RequestState =
  | "pending"
  | "approved"
  | "running"
  | "done"
  | "failed"
  | "denied"
  | "answered"
  | "expired"

/** Somebody who may decide, and how they reached us. */
export interface Decider {
  /** Who: `owner` on this machine, or an address or account that the configuration names. */
  who: string
  /** From where: cli, api, mcp, link, discord, … */
  from: string
}

/** An action that waits for a person, or has been decided. */
export interface PermissionRequest {
  id: string
  /** The cycle or conversation that asked. */
  askedBy: string
  project: string | null
  /** What kind of thing it is; what was denied twice is not asked again. */
  action: string
  description: string
  rationale: string
  urgency: Urgency
  /** Whether the agent wants to hear what was decided. */
  wait: boolean
  context: RequestContext
  call: RequestedCall | null
  /** A digest of all that is shown; a decision names it, so that it can be about nothing else. */
  digest: string
  state: RequestState
  createdAt: number
  expiresAt: number
  decision: (Decider & { at: number; text: string | null; input: RequestedCall["input"] | null }) | null
  /** What came of running it. */
  outcome: string | null
}

/** What to ask. */
export type NewRequest = Pick<
  PermissionRequest,
  | "askedBy"
  | "project"
  | "action"
  | "description"
  | "rationale"
  | "urgency"
  | "wait"
  | "context"
  | "call"
  | "expiresAt"
>

/** A digest of what the person is shown and of what would run. */
export function digestOf(request: NewRequest): string {
  const { action, project, description, rationale, context, call } = request
  const shown = JSON.stringify(sorted({ action, project, description, rationale, context, call }))
  return createHash("sha256").update(shown).digest("hex")
}

/** The name of a kind of thing, however it was written: "Fix failing-Test" is fix_failing_test. */
export function plainKind(name: string): string {
  return withoutUnseen(name)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s\p{P}\p{S}]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "")
}

type Asked = Pick<NewRequest, "action"> & Partial<Pick<NewRequest, "description" | "context" | "call">>

/** What a request is about. Two that share one of these ask for the same thing, whatever they call it. */
export function subjectsOf({ action, description = "", context, call = null }: Asked): string[] {
  const words = plainKind(description).replaceAll("_", "")
  const lines = changedLines(context?.diff ?? "")
  return [
    `kind ${plainKind(action).replaceAll("_", "")}`,
    ...(call === null ? [] : [`call ${JSON.stringify(sorted(call))}`]),
    ...(words === "" ? [] : [`words ${words}`]),
    ...(lines === "" ? [] : [`change ${lines}`]),
  ]
}

/** What a diff adds and removes, wherever that stands. */
function changedLines(diff: string): string {
  const changed = diff.split("\n").filter((line) => /^[+-](?![+-]{2} )/.test(line))
  return changed.map((line) => line.replaceAll(/\s+/g, "")).join("\n")
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, part]) => [name, sorted(part)]),
  )
}
