import catalog from "../../../assets/llm/models.json" with { type: "json" }
import type { Source } from "../ledger.ts"
import type { AccessId, Spent } from "./access.ts"

/** The purposes for which Reverie asks models. */
export const jobs = ["gardener", "chat", "extraction", "judge"] as const
export type Job = (typeof jobs)[number]

/** The source of each job's calls in the ledger. */
export const sourceFor = {
  gardener: "ambient",
  chat: "chat",
  extraction: "extraction",
  judge: "judge",
} as const satisfies Record<Job, Source>

type Strength = "strongest" | "middle" | "fast"

/** The default strength of the model for each job. */
const strengthFor: Record<Job, Strength> = {
  gardener: "strongest",
  chat: "middle",
  extraction: "fast",
  judge: "fast",
}

type Family = "openai" | "anthropic"

/** US dollars per million tokens. A call with more than `longFrom` input tokens costs `longFactor` times as much. */
interface Price {
  input: number
  cached: number
  output: number
  longFrom?: number
  longFactor?: number
}

interface KnownModel {
  family: Family
  strength: Strength
  /** Context window in tokens. */
  context: number
  price: Price
}

/** The default models, as of November 2026. The configuration can name any other. */
const models = catalog as Record<string, KnownModel>

/** Claude Code's aliases, which stay the same when its models change. */
const claudeNames: Record<Strength, string> = { strongest: "opus", middle: "sonnet", fast: "haiku" }

/** The default model of a job; undefined for a local server, whose models only the user knows. */
export function defaultModel(access: AccessId, job: Job): string | undefined {
  const strength = strengthFor[job]
  switch (access) {
    case "local":
      return undefined
    case "claude":
      return claudeNames[strength]
    case "chatgpt":
    case "codex":
    case "openai":
      return named("openai", strength)
    case "anthropic":
      return named("anthropic", strength)
    case "openrouter":
      return `anthropic/${named("anthropic", strength)?.replaceAll(/(\d)-(\d)/g, "$1.$2")}`
  }
}

function named(family: Family, strength: Strength): string | undefined {
  return Object.entries(models).find(
    ([, known]) => known.family === family && known.strength === strength,
  )?.[0]
}

/** The context window of unknown models. */
const cautiousContext = 128_000

/** A model's context window in tokens; a careful guess for an unknown model. */
export function contextOf(access: AccessId, model: string, localContext: number): number {
  if (access === "local") return localContext
  if (access === "claude") return 200_000
  return models[plainName(model)]?.context ?? cautiousContext
}

/** The cost of a call with a paid key. An unknown model costs as much as the most expensive known one. */
export function costOf(model: string, spent: Pick<Spent, "input" | "cachedInput" | "output">): number {
  const { input, cached, output, longFrom, longFactor = 1 } = models[plainName(model)]?.price ?? dearest()
  const factor = longFrom !== undefined && spent.input > longFrom ? longFactor : 1
  const fresh = Math.max(0, spent.input - spent.cachedInput)
  return (factor * (fresh * input + spent.cachedInput * cached + spent.output * output)) / 1_000_000
}

function dearest(): Price {
  const prices = Object.values(models).map(({ price }) => price)
  return {
    input: Math.max(...prices.map(({ input }) => input)),
    cached: Math.max(...prices.map(({ cached }) => cached)),
    output: Math.max(...prices.map(({ output }) => output)),
  }
}

/** Normalises OpenRouter's "anthropic/claude-opus-5.5" and dated names such as "gpt-6-luna-2026-09-22". */
function plainName(model: string): string {
  const bare = model.replace(/^(openai|anthropic)\//, "").replace(/-\d{4}-?\d{2}-?\d{2}$/, "")
  return bare.startsWith("claude") ? bare.replaceAll(".", "-") : bare
}
