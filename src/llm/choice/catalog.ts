import type { Source } from "../ledger.ts"
import type { AccessId, Spent } from "./access.ts"

/** What a model is asked for. */
export const jobs = ["gardener", "chat", "extraction", "judge"] as const
export type Job = (typeof jobs)[number]

/** Under which name the calls of each job are in the ledger. */
export const sourceFor = {
  gardener: "ambient",
  chat: "chat",
  extraction: "extraction",
  judge: "judge",
} as const satisfies Record<Job, Source>

type Strength = "strongest" | "middle" | "fast"

/** How strong a model each job wants when nothing is configured. */
const strengthFor: Record<Job, Strength> = {
  gardener: "strongest",
  chat: "middle",
  extraction: "fast",
  judge: "fast",
}

type Family = "openai" | "anthropic"

/** US dollars for a million tokens; above `longFrom` tokens of input a call costs that many times as much. */
interface Price {
  input: number
  cached: number
  output: number
  longFrom: number
  longFactor: number
}

interface Known {
  family: Family
  strength: Strength
  /** Tokens it takes at once. */
  context: number
  price: Price
}

/** The models we choose from ourselves, as of November 2026. Any other can be named in the configuration. */
const models: Record<string, Known> = {
  "gpt-6-astra": openai("strongest", { input: 10, cached: 1, output: 50 }),
  "gpt-6.1-sol": openai("middle", { input: 2, cached: 0.1, output: 10 }),
  "gpt-6-luna": openai("fast", { input: 0.1, cached: 0.01, output: 0.5 }),
  "claude-fable-5-2": anthropic("strongest", { input: 10, cached: 1, output: 50 }),
  "claude-opus-5-5": anthropic("middle", { input: 4, cached: 0.2, output: 20 }),
  "claude-haiku-5-5": anthropic("fast", {
    input: 0.1,
    cached: 0.01,
    output: 0.5,
    longFrom: 100_000,
    longFactor: 5,
  }),
}

type ShortPrice = Pick<Price, "input" | "cached" | "output"> & Partial<Price>

function openai(strength: Strength, price: ShortPrice): Known {
  return {
    family: "openai",
    strength,
    context: 922_000,
    price: { longFrom: 272_000, longFactor: 2, ...price },
  }
}

function anthropic(strength: Strength, price: ShortPrice): Known {
  return {
    family: "anthropic",
    strength,
    context: 1_000_000,
    price: { longFrom: Number.POSITIVE_INFINITY, longFactor: 1, ...price },
  }
}

/** Claude Code knows its models by names that stay when the models change. */
const claudeNames: Record<Strength, string> = { strongest: "opus", middle: "sonnet", fast: "haiku" }

/** The model for a job by a way; undefined where only the user can know. */
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

/** For models that are not in the table. */
const cautiousContext = 128_000

/** How many tokens a model takes at once; a careful guess for one we do not know. */
export function contextOf(access: AccessId, model: string, localContext: number): number {
  if (access === "local") return localContext
  if (access === "claude") return 200_000
  return models[plainName(model)]?.context ?? cautiousContext
}

/** What a call costs with a paid key. A model we do not know counts as the dearest we know. */
export function costOf(model: string, spent: Pick<Spent, "input" | "cachedInput" | "output">): number {
  const { input, cached, output, longFrom, longFactor } = models[plainName(model)]?.price ?? dearest()
  const factor = spent.input > longFrom ? longFactor : 1
  const fresh = Math.max(0, spent.input - spent.cachedInput)
  return (factor * (fresh * input + spent.cachedInput * cached + spent.output * output)) / 1_000_000
}

function dearest(): Price {
  const prices = Object.values(models).map(({ price }) => price)
  return {
    input: Math.max(...prices.map(({ input }) => input)),
    cached: Math.max(...prices.map(({ cached }) => cached)),
    output: Math.max(...prices.map(({ output }) => output)),
    longFrom: 0,
    longFactor: 1,
  }
}

/** OpenRouter's "anthropic/claude-opus-5.5" and dated names such as "gpt-6-luna-2026-09-22" as the table has them. */
function plainName(model: string): string {
  const bare = model.replace(/^(openai|anthropic)\//, "").replace(/-\d{4}-?\d{2}-?\d{2}$/, "")
  return bare.startsWith("claude") ? bare.replaceAll(".", "-") : bare
}
