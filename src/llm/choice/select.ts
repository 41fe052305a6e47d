import type { Pool } from "../limits/limit-reading.ts"
import type { PoolState } from "../limits/pool-state.ts"
import { isPaid, poolOf } from "../limits/pools.ts"
import type { AccessId, ModelRef } from "./access.ts"
import { defaultModel, type Job } from "./catalog.ts"

/** Whether a way can be gone at all. */
export interface AccessState {
  access: AccessId
  ready: boolean
  /** What it is ready by, or what is missing and how to get it. */
  detail: string
}

/** What the choice depends on. */
export interface ChoiceView {
  now: number
  provider: AccessId | "auto" | "none"
  /** What the configuration names for the job: "", MODEL or WAY/MODEL. */
  wanted: string
  allowApiKeys: boolean
  states: readonly AccessState[]
  pools: readonly PoolState[]
  /** When the user last worked with a pool. */
  userActiveAt: ReadonlyMap<Pool, number>
  /** Dollars left for paid keys in these 24 hours. */
  usdLeft: number
  /** The local server's model, where it is known. */
  localModel: string | undefined
  /** The pools that the budget does not let this job draw on now, and why. */
  heldBack: ReadonlyMap<Pool, string>
}

/** One way that was looked at. */
interface Candidate {
  access: AccessId
  pool: Pool
  model: string | null
  usable: boolean
  /** It is set up and allowed, and only has to wait for its pool. */
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

/** The order in which ways are looked at: what is paid already, what costs nothing, what costs money. */
const chain: readonly AccessId[] = [
  "chatgpt",
  "codex",
  "claude",
  "local",
  "openai",
  "anthropic",
  "openrouter",
]

/** How long after the user's last request a subscription counts as being worked with. */
const inUseMs = 60 * 60_000

/** Chooses the model for a job. */
export function chooseModel(view: ChoiceView, job: Job): Choice {
  const none = (why: string): Choice => ({ job, chosen: null, why, candidates: [] })
  if (view.provider === "none") return none("models.provider is none: no model is ever asked.")
  const wanted = splitWanted(view.wanted)
  const only = wanted.access ?? (view.provider === "auto" ? undefined : view.provider)
  const candidates = order(view, only).map((access) =>
    consider(view, access, modelFor(view, access, job, wanted.model)),
  )
  const first = candidates.find(({ usable }) => usable)
  if (first === undefined || first.model === null) {
    const why = only
      ? `${only} was asked for but cannot be used: ${candidates[0]?.why ?? "it is not known."}`
      : "No model can be asked; everything goes on by rules."
    return { job, chosen: null, why, candidates }
  }
  return {
    job,
    chosen: { access: first.access, model: first.model },
    why: reason(view, first, wanted),
    candidates,
  }
}

interface Wanted {
  access: AccessId | undefined
  model: string | undefined
}

/** "claude/opus" names a way; "anthropic/claude-opus-5.5" could be a name of OpenRouter's, but a way goes first. */
function splitWanted(wanted: string): Wanted {
  if (wanted === "") return { access: undefined, model: undefined }
  const slash = wanted.indexOf("/")
  const access = chain.find((one) => one === wanted.slice(0, slash))
  return access ? { access, model: wanted.slice(slash + 1) } : { access: undefined, model: wanted }
}

/** The chain, or the one way that was named; the subscription the user works with comes after the other one. */
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

function consider(view: ChoiceView, access: AccessId, model: string | undefined): Candidate {
  const pool = poolOf(access)
  const state = view.states.find((one) => one.access === access)
  const lack = lackOf(view, access, state, model)
  const wait = lack === undefined ? waitOf(view, access) : undefined
  const why = lack ?? wait ?? state?.detail ?? ""
  const usable = lack === undefined && wait === undefined
  return { access, pool, model: model ?? null, usable, isWaiting: wait !== undefined, why }
}

/** What the user would have to do before this way can be gone. */
function lackOf(
  view: ChoiceView,
  access: AccessId,
  state: AccessState | undefined,
  model: string | undefined,
): string | undefined {
  if (!state?.ready) return state?.detail ?? "It is not set up."
  if (isPaid(access) && !view.allowApiKeys)
    return "It costs money for every call; models.allow_api_keys is false."
  if (model === undefined) return "The server names no model; set models.local_model."
  return undefined
}

/** What time will mend, or a look at the account. */
function waitOf(view: ChoiceView, access: AccessId): string | undefined {
  const pool = view.pools.find((one) => one.pool === poolOf(access))
  if (pool && pool.stoppedAt !== null)
    return `Stopped after repeated errors: ${pool.reason ?? "unknown"} When it is mended: \`reverie models --retry\`.`
  if (pool && pool.blockedUntil !== null && pool.blockedUntil > view.now)
    return `It wants to be left alone for a while: ${pool.reason ?? "rate limited."}`
  const held = view.heldBack.get(poolOf(access))
  if (held !== undefined) return held
  if (isPaid(access) && view.usdLeft <= 0) return "The models.daily_usd of these 24 hours is spent."
  return undefined
}

function reason(view: ChoiceView, first: Candidate, wanted: Wanted): string {
  const model = wanted.model === undefined ? "" : ` The model is the one you named.`
  if (wanted.access) return `You named this way.${model}`
  if (view.provider !== "auto") return `models.provider is ${view.provider}.${model}`
  if (first.pool === "anthropic-subscription" && inUse(view, "openai-subscription"))
    return `You are working with the other subscription; this one is free.${model}`
  return `It comes first of what can be used.${model}`
}
