import type { Pool } from "../limits/limit-reading.ts"
import type { PoolState } from "../limits/pool-state.ts"
import { isPaid, poolOf } from "../limits/pools.ts"
import type { AccessId, ModelRef } from "./access.ts"
import { defaultModel, type Job } from "./catalog.ts"

/** Whether an access is set up. */
export interface AccessState {
  access: AccessId
  ready: boolean
  /** How it is signed in, or what is missing and how to get it. */
  detail: string
}

/** What the choice depends on. */
export interface ChoiceView {
  now: number
  provider: AccessId | "auto" | "none"
  /** The configured model of the job: "", MODEL or ACCESS/MODEL. */
  configured: string
  allowApiKeys: boolean
  states: readonly AccessState[]
  pools: readonly PoolState[]
  /** When the user's own tools last used each pool. */
  userActiveAt: ReadonlyMap<Pool, number>
  /** US dollars left for paid keys in this 24-hour window. */
  usdLeft: number
  /** The local server's model, if known. */
  localModel: string | undefined
  /** The pools that the budget holds back from this job, with the reason. */
  heldBack: ReadonlyMap<Pool, string>
}

interface Candidate {
  access: AccessId
  pool: Pool
  model: string | null
  usable: boolean
  /** It is set up and allowed, and only its pool is not available now. */
  isWaiting: boolean
  why: string
}

/** Which model would be asked for a job, and why. */
export interface Choice {
  job: Job
  chosen: ModelRef | null
  why: string
  candidates: Candidate[]
}

/** The order of preference: subscriptions, then free, then paid. */
const chain: readonly AccessId[] = [
  "chatgpt",
  "codex",
  "claude",
  "local",
  "openai",
  "anthropic",
  "openrouter",
]

/** A subscription counts as in use for this long after the user's last request. */
const inUseMs = 60 * 60_000

/** Chooses the model for a job. Pure. */
export function chooseModel(view: ChoiceView, job: Job): Choice {
  const none = (why: string): Choice => ({ job, chosen: null, why, candidates: [] })
  if (view.provider === "none") return none("models.provider is none, so no model is asked.")
  const configured = splitConfigured(view.configured)
  const only = configured.access ?? (view.provider === "auto" ? undefined : view.provider)
  const candidates = order(view, only).map((access) =>
    toCandidate(view, access, modelFor(view, access, job, configured.model)),
  )
  const first = candidates.find(({ usable }) => usable)
  if (first === undefined || first.model === null) {
    const why = only
      ? `${only} is configured but cannot be used: ${candidates[0]?.why ?? "it is unknown."}`
      : "No model is available; everything continues by rules."
    return { job, chosen: null, why, candidates }
  }
  return {
    job,
    chosen: { access: first.access, model: first.model },
    why: reason(view, first, configured),
    candidates,
  }
}

interface ConfiguredModel {
  access: AccessId | undefined
  model: string | undefined
}

/** "claude/opus" names an access. So does "anthropic/claude-opus-5.5", although OpenRouter has models of that name. */
function splitConfigured(configured: string): ConfiguredModel {
  if (configured === "") return { access: undefined, model: undefined }
  const slash = configured.indexOf("/")
  const access = chain.find((one) => one === configured.slice(0, slash))
  return access ? { access, model: configured.slice(slash + 1) } : { access: undefined, model: configured }
}

/** All accesses, or the configured one. A subscription that the user is using comes after the other one. */
function order(view: ChoiceView, only: AccessId | undefined): AccessId[] {
  if (only) return [only]
  const openai = chain.filter((access) => poolOf(access) === "openai-subscription")
  const anthropic = chain.filter((access) => poolOf(access) === "anthropic-subscription")
  const rest = chain.filter((access) => !poolOf(access).endsWith("-subscription"))
  const isSwapped = inUse(view, "openai-subscription") && !inUse(view, "anthropic-subscription")
  return isSwapped ? [...anthropic, ...openai, ...rest] : [...openai, ...anthropic, ...rest]
}

function inUse(view: ChoiceView, pool: Pool): boolean {
  const at = view.userActiveAt.get(pool)
  return at !== undefined && view.now - at < inUseMs
}

function modelFor(
  view: ChoiceView,
  access: AccessId,
  job: Job,
  model: string | undefined,
): string | undefined {
  if (model !== undefined) return model
  return access === "local" ? view.localModel : defaultModel(access, job)
}

function toCandidate(view: ChoiceView, access: AccessId, model: string | undefined): Candidate {
  const pool = poolOf(access)
  const state = view.states.find((one) => one.access === access)
  const setup = setupProblem(view, access, state, model)
  const wait = setup === undefined ? currentProblem(view, access) : undefined
  const why = setup ?? wait ?? state?.detail ?? ""
  const usable = setup === undefined && wait === undefined
  return { access, pool, model: model ?? null, usable, isWaiting: wait !== undefined, why }
}

/** What the user has to set up before this access can be used. */
function setupProblem(
  view: ChoiceView,
  access: AccessId,
  state: AccessState | undefined,
  model: string | undefined,
): string | undefined {
  if (!state?.ready) return state?.detail ?? "It is not set up."
  if (isPaid(access) && !view.allowApiKeys) return "Every call costs money; models.allow_api_keys is false."
  if (model === undefined) return "The server lists no model; set models.local_model."
  return undefined
}

/** Why this access cannot be used right now. */
function currentProblem(view: ChoiceView, access: AccessId): string | undefined {
  const pool = view.pools.find((one) => one.pool === poolOf(access))
  if (pool && pool.stoppedAt !== null)
    return `Stopped after repeated errors: ${pool.reason ?? "unknown"} Once it is fixed: \`reverie models --retry\`.`
  if (pool && pool.blockedUntil !== null && pool.blockedUntil > view.now)
    return `Rate-limited for now: ${pool.reason ?? "rate limited."}`
  const held = view.heldBack.get(poolOf(access))
  if (held !== undefined) return held
  if (isPaid(access) && view.usdLeft <= 0) return "The models.daily_usd of the last 24 hours is used up."
  return undefined
}

function reason(view: ChoiceView, first: Candidate, configured: ConfiguredModel): string {
  const model = configured.model === undefined ? "" : " You configured the model."
  if (configured.access) return `You configured this access.${model}`
  if (view.provider !== "auto") return `models.provider is ${view.provider}.${model}`
  if (first.pool === "anthropic-subscription" && inUse(view, "openai-subscription"))
    return `You are using the other subscription; this one is free.${model}`
  return `It is the first usable one.${model}`
}
