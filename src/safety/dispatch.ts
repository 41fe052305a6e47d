import { shorten } from "../base/text/text.ts"
import type { ToolCall, ToolShape } from "../llm/choice/access.ts"
import type { Dispatched } from "../llm/converse.ts"
import { forbidden } from "./hard-list.ts"
import { noRules, ruledTier, type SafetyRules } from "./rules.ts"
import { type Effect, isOutward, type Tier } from "./tier.ts"
import { type CheckedCall, type Tool, type ToolOutcome, wrong } from "./tool.ts"

/** What was decided about a call, and why. */
export interface Decided {
  tool: string
  input: CheckedCall["input"]
  tier: Tier
  reason: string
}

/** One conversation with a model, as safety sees it. */
export interface Guard {
  config: SafetyRules
  /** Whether it has read what others wrote; from then on nothing leaves the machine without a person. */
  hasReadOutside: boolean
  /** Writes the decision into the journal before anything is done. */
  onDecided(decided: Decided): Promise<void>
  /** Asks a person about a call that needs one; what the model is told meanwhile. */
  ask(decided: Decided): Promise<ToolOutcome>
  /** Whether the person allowed an effect beforehand, by a setting that is for just that. */
  permits?(effect: Effect): boolean
  /** What the person decided since, for the model; handed over with the next result. */
  news?(): Promise<string | undefined>
}

/** What a conversation gets: the tools' shapes, and the one function that runs their calls. */
export interface Guarded {
  tools: ToolShape[]
  dispatch(call: ToolCall, signal: AbortSignal): Promise<Dispatched>
}

/** Puts tools under a guard. */
export function guarded(guard: Guard, tools: readonly Tool[]): Guarded {
  const byName = new Map(tools.map((tool) => [tool.shape.name, tool]))
  return {
    tools: tools.map(({ shape }) => shape),
    async dispatch({ id, name, input }, signal) {
      const tool = byName.get(name)
      const outcome = tool
        ? await runGuarded(guard, tool, input, signal)
        : await unknownTool(guard, tools, name)
      const news = await guard.news?.()
      const { isError = false, ends = false } = outcome
      const text = news === undefined ? outcome.text : `${outcome.text}\n\n${news}`
      return { result: { callId: id, name, text, isError }, ends: ends && !isError }
    },
  }
}

/** Puts tools that only read or answer under a guard that lets nothing else through. */
export function answering(tools: readonly Tool[]): Guarded {
  return guarded(
    {
      config: noRules,
      hasReadOutside: true,
      onDecided: async () => {},
      ask: async ({ tool }) => wrong(`${tool} is not for this conversation.`),
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
    if (decided.tier === "never") return wrong(`Not done: ${decided.reason}`)
    if (decided.tier === "ask") return await guard.ask(decided)
    if (tool.readsOutside) guard.hasReadOutside = true
    return await checked.run(signal)
  } catch {
    // Whatever goes wrong on the way to a decision means no.
    return wrong(`Not done: it could not be decided whether ${tool.shape.name} may run.`)
  }
}

/** Decides about one call: the hard list, then the person's rules, then what outside text takes away. */
export function decide(
  { config, hasReadOutside, permits = () => false }: Pick<Guard, "config" | "hasReadOutside" | "permits">,
  tool: string,
  { input, tier, effects }: Pick<CheckedCall, "input" | "tier" | "effects">,
): Decided {
  const never = forbidden(effects)
  if (never !== undefined) return { tool, input, tier: "never", reason: never }
  const ruled = ruledTier(config, { tool, input, tier, effects })
  if (ruled.tier === "auto" && hasReadOutside && effects.some((one) => isOutward(one) && !permits(one)))
    return {
      tool,
      input,
      tier: "ask",
      reason: `${tool} leaves this machine, and the conversation has read what others wrote.`,
    }
  return { tool, input, ...ruled }
}

/** So much of a name that a model made up is told and written down. */
const longestName = 100

async function unknownTool(guard: Guard, tools: readonly Tool[], name: string): Promise<ToolOutcome> {
  const names = tools.map(({ shape }) => shape.name).join(", ")
  const told = shorten(name, longestName)
  return refuse(guard, told, `There is no tool ${told}. The tools are: ${names}.`)
}

/** Writes down that something could not even be judged, and says so. */
async function refuse(guard: Guard, tool: string, reason: string): Promise<ToolOutcome> {
  await guard.onDecided({ tool, input: {}, tier: "never", reason })
  return wrong(reason)
}
