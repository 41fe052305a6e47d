import { matchesGlob } from "../base/text/glob.ts"
import type { Config } from "../config/schema.ts"
import { type Effect, isOutward, stricter, type Tier } from "./tier.ts"

/** What the user allows and forbids. */
export type SafetyRules = {
  safety: Pick<
    Config["safety"],
    "never" | "require_permission" | "allow_without_permission" | "allow_push_to"
  >
}

/** No rules: only what the tools declare applies. */
export const noRules: SafetyRules = {
  safety: { never: [], require_permission: [], allow_without_permission: [], allow_push_to: [] },
}

/** One line of a configured list: a tool, or a tool with a matching argument. */
interface Rule {
  tool: string
  argument: { name: string; pattern: string } | null
}

const ruleForm = /^(?<tool>[\w*-]+)(?:\((?<name>[\w.]+)=(?<pattern>.+)\))?$/s

/** Parses `TOOL` or `TOOL(ARGUMENT=PATTERN)`; `*` matches anything in both. */
function readRule(text: string): Rule | undefined {
  const { tool, name, pattern } = ruleForm.exec(text.trim())?.groups ?? {}
  if (tool === undefined) return undefined
  return { tool, argument: name === undefined || pattern === undefined ? null : { name, pattern } }
}

/** The tier of a call after the user's rules, with the rule that decided. The hard list is checked before. */
export function ruledTier(
  { safety }: SafetyRules,
  call: { tool: string; input: Readonly<Record<string, unknown>>; tier: Tier; effects: readonly Effect[] },
): { tier: Tier; reason: string } {
  const fits = (list: readonly string[]) => list.find((text) => fitsRule(readRule(text), call))
  const never = fits(safety.never)
  if (never !== undefined) return { tier: "never", reason: `safety.never has ${never}.` }
  const required = fits(safety.require_permission)
  if (required !== undefined)
    return { tier: stricter("ask", call.tier), reason: `safety.require_permission has ${required}.` }
  if (call.tier !== "ask") return { tier: call.tier, reason: `${call.tool} is ${tierWords[call.tier]}.` }
  const allowed = fits(safety.allow_without_permission)
  if (allowed !== undefined)
    return { tier: "auto", reason: `safety.allow_without_permission has ${allowed}.` }
  const pushes = call.effects.filter((effect) => effect.kind === "push")
  const mayPush =
    pushes.length > 0 &&
    pushes.every(({ remote }) => safety.allow_push_to.some((one) => matchesGlob(one, remote)))
  const isOnlyPush = call.effects.every((effect) => effect.kind === "push" || !isOutward(effect))
  if (mayPush && isOnlyPush) return { tier: "auto", reason: "safety.allow_push_to names the remote." }
  return { tier: "ask", reason: `${call.tool} ${tierWords.ask}.` }
}

const tierWords: Record<Tier, string> = {
  auto: "allowed without asking",
  ask: "needs a person's approval",
  never: "never allowed",
}

function fitsRule(
  rule: Rule | undefined,
  { tool, input }: { tool: string; input: Readonly<Record<string, unknown>> },
): boolean {
  if (rule === undefined || !matchesGlob(rule.tool, tool)) return false
  if (rule.argument === null) return true
  const { name, pattern } = rule.argument
  const value = name
    .split(".")
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | null)?.[part], input)
  return (
    value !== undefined && matchesGlob(pattern, typeof value === "string" ? value : JSON.stringify(value))
  )
}
