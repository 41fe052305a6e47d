import { shorten } from "../base/text/text.ts"
import type { ToolCall, ToolShape } from "../llm/choice/access.ts"
import type { DispatchResult } from "../llm/converse.ts"
import { forbidden } from "./hard-list.ts"
import { noRules, ruledTier, type SafetyRules } from "./rules.ts"
import { type Effect, isOutward, type Tier } from "./tier.ts"
import { type CheckedCall, type Tool, type ToolOutcome, toolError } from "./tool.ts"

/** The decision about one call. */
export interface CallDecision {
  tool: string
  input: CheckedCall["input"]
  tier: Tier
  reason: string
}

/** The safety rules of one conversation with a model. */
export interface Guard {
  config: SafetyRules
  /** Whether the model has read untrusted text. After that, nothing leaves the machine without a person's approval. */
  hasReadUntrusted: boolean
  /** Writes the decision into the journal, before anything runs. */
  onDecided(decided: CallDecision): Promise<void>
  /** Asks a person about a call. Returns what the model is told meanwhile. */
  ask(decided: CallDecision): Promise<ToolOutcome>
  /** Whether a setting allows this effect in advance. */
  isPreapproved?(effect: Effect): boolean
  /** A person's new decisions, as text for the model; added to the next result. */
  newDecisions?(): Promise<string | undefined>
}

/** The tools of a conversation, and the only function that runs their calls. */
export interface GuardedTools {
  tools: ToolShape[]
  dispatch(call: ToolCall, signal: AbortSignal): Promise<DispatchResult>
}

/** Puts tools under a guard. */
export function withGuard(guard: Guard, tools: readonly Tool[]): GuardedTools {
  const byName = new Map(tools.map((tool) => [tool.shape.name, tool]))
  return {
    tools: tools.map(({ shape }) => shape),
    async dispatch({ id, name, input }, signal) {
      const tool = byName.get(name)
      const outcome = tool
        ? await runGuarded(guard, tool, input, signal)
        : await unknownTool(guard, tools, name)
      const news = await guard.newDecisions?.()
      const { isError = false, ends = false } = outcome
      const text = news === undefined ? outcome.text : `${outcome.text}\n\n${news}`
      return { result: { callId: id, name, text, isError }, ends: ends && !isError }
    },
  }
}

/** For conversations whose tools only read or answer: any other call is refused. */
export function withReadOnlyGuard(tools: readonly Tool[]): GuardedTools {
  return withGuard(
    {
      config: noRules,
      hasReadUntrusted: true,
      onDecided: async () => {},
      ask: async ({ tool }) => toolError(`${tool} is not available in this conversation.`),
    },
    tools,
  )
}

async function runGuarded(
  guard: Guard,
  tool: Tool,
  input: unknown,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  try {
    const checked = tool.check(input)
    if ("problem" in checked) return await refuse(guard, tool.shape.name, checked.problem)
    const decided = decide(guard, tool.shape.name, checked)
    await guard.onDecided(decided)
    if (decided.tier === "never") return toolError(`Not done: ${decided.reason}`)
    if (decided.tier === "ask") return await guard.ask(decided)
    if (tool.readsUntrusted) guard.hasReadUntrusted = true
    return await checked.run(signal)
  } catch {
    // Any error before the decision means no.
    return toolError(`Not done: it could not be decided whether ${tool.shape.name} may run.`)
  }
}

/** Decides about one call: first the hard list, then the user's rules, then the limits after untrusted text. */
export function decide(
  {
    config,
    hasReadUntrusted,
    isPreapproved = () => false,
  }: Pick<Guard, "config" | "hasReadUntrusted" | "isPreapproved">,
  tool: string,
  { input, tier, effects }: Pick<CheckedCall, "input" | "tier" | "effects">,
): CallDecision {
  const never = forbidden(effects)
  if (never !== undefined) return { tool, input, tier: "never", reason: never }
  const ruled = ruledTier(config, { tool, input, tier, effects })
  if (
    ruled.tier === "auto" &&
    hasReadUntrusted &&
    effects.some((one) => isOutward(one) && !isPreapproved(one))
  )
    return {
      tool,
      input,
      tier: "ask",
      reason: `${tool} leaves this machine, and the conversation has read untrusted text.`,
    }
  return { tool, input, ...ruled }
}

/** The longest tool name, invented by a model, that is reported and recorded. */
const longestName = 100

async function unknownTool(guard: Guard, tools: readonly Tool[], name: string): Promise<ToolOutcome> {
  const names = tools.map(({ shape }) => shape.name).join(", ")
  const shown = shorten(name, longestName)
  return refuse(guard, shown, `There is no tool ${shown}. The tools are: ${names}.`)
}

/** Records the refusal of a call that cannot be decided about. */
async function refuse(guard: Guard, tool: string, reason: string): Promise<ToolOutcome> {
  await guard.onDecided({ tool, input: {}, tier: "never", reason })
  return toolError(reason)
}
