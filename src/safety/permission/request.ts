import { createHash } from "node:crypto"
import { z } from "zod"
import { stripInvisible } from "../../base/text/invisible.ts"

export const urgencies = ["low", "normal", "high"] as const
export type Urgency = (typeof urgencies)[number]

const lines = z.array(z.string().max(1000)).max(50).default([])

/** The context of a request, for the person who decides. */
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

/** The call that runs once if the request is approved. */
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

/** Who decided, and from where. */
export interface Decider {
  /** `owner` on this machine, or an address or account in the configuration. */
  who: string
  /** cli, api, mcp, link, discord, … */
  from: string
}

/** An action that needs a person's decision. */
export interface PermissionRequest {
  id: string
  /** The id of the cycle or conversation. */
  askedBy: string
  project: string | null
  /** The kind of action. A kind that was denied twice is not requested again. */
  action: string
  description: string
  rationale: string
  urgency: Urgency
  /** Whether the agent wants to know the decision. */
  wait: boolean
  context: RequestContext
  call: RequestedCall | null
  /** A digest of everything shown. A decision names it, so that it applies to exactly that. */
  digest: string
  state: RequestState
  createdAt: number
  expiresAt: number
  decision: (Decider & { at: number; text: string | null; input: RequestedCall["input"] | null }) | null
  /** The result of the call. */
  outcome: string | null
}

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

/** A digest of what the person is shown and of the call that would run. */
export function digestOf(request: NewRequest): string {
  const { action, project, description, rationale, context, call } = request
  const shown = JSON.stringify(sorted({ action, project, description, rationale, context, call }))
  return createHash("sha256").update(shown).digest("hex")
}

/** Normalises the name of a kind: "Fix failing-Test" is fix_failing_test. */
export function normalizedKind(name: string): string {
  return stripInvisible(name)
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s\p{P}\p{S}]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "")
}

type Asked = Pick<NewRequest, "action"> & Partial<Pick<NewRequest, "description" | "context" | "call">>

/** What a request is about. Two requests that share a subject ask for the same thing, whatever they call it. */
export function subjectsOf({ action, description = "", context, call = null }: Asked): string[] {
  const words = normalizedKind(description).replaceAll("_", "")
  const lines = changedLines(context?.diff ?? "")
  return [
    `kind ${normalizedKind(action).replaceAll("_", "")}`,
    ...(call === null ? [] : [`call ${JSON.stringify(sorted(call))}`]),
    ...(words === "" ? [] : [`words ${words}`]),
    ...(lines === "" ? [] : [`change ${lines}`]),
  ]
}

/** The added and removed lines of a diff, without their positions. */
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
