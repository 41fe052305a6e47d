import { join } from "node:path"
import { createLock } from "../../base/lock.ts"
import { limitFetch } from "../../base/net/limit-fetch.ts"
import { isLoopback } from "../../base/net/web-address.ts"
import { problemWithApiKey } from "../../config/api-key.ts"
import type { Host, Paths } from "../../config/paths.ts"
import type { Config } from "../../config/schema.ts"
import type { InstallCore } from "../../storage/core.ts"
import { type AskNeeds, askModel, type CallOrigin, type Cause } from "../ask.ts"
import { openClaude } from "../bridges/claude.ts"
import { openCodex } from "../bridges/codex.ts"
import { createProgramFinder } from "../bridges/find-program.ts"
import { type Conversation, type ConversationResult, converse } from "../converse.ts"
import type { FailureKind } from "../failure.ts"
import { paidSince, userCallTime } from "../ledger.ts"
import { type Pool, pools } from "../limits/limit-reading.ts"
import { limitTime } from "../limits/limit-time.ts"
import { poolStates } from "../limits/pool-state.ts"
import { chatGptAccess, type KeySource, keyedAccess, localAccess } from "../sdk/providers.ts"
import { type KeyedAccount, keyedAccounts } from "../signin/account-ids.ts"
import { openChatgpt } from "../signin/chatgpt.ts"
import { issuerOf } from "../signin/issuer.ts"
import { findKey, keyKinds } from "../signin/keys.ts"
import {
  type AccessId,
  type Answer,
  failedAnswer,
  type ModelAccess,
  type ModelRef,
  type Question,
} from "./access.ts"
import { accessStates } from "./access-states.ts"
import { type Address, localAddress, providerAddress } from "./addresses.ts"
import { contextOf, type Job } from "./catalog.ts"
import { openLocalServer } from "./local-server.ts"
import { type AccessState, type Choice, type ChoiceView, chooseModel } from "./select.ts"

/** The budget's answer for one call: why a job may not use a pool now; undefined if it may. */
export type BudgetCheck = (job: Job, ref: ModelRef, cause: Cause) => Promise<string | undefined>

export interface ModelsNeeds extends InstallCore, Host {
  fetch: typeof fetch
  redact(text: string): string
  /** Without it, the budget holds nothing back. */
  checkBudget?: BudgetCheck | undefined
}

/** `by` is the model that answered; undefined if none could be asked. */
interface JobConversationResult extends ConversationResult {
  by: ModelRef | undefined
}

/** All models that may be asked, by job. */
export interface Models {
  /** The state of each access, checked now. */
  states(): Promise<AccessState[]>
  /** Which model a job would ask. Uses access states that are up to five minutes old. */
  choose(job: Job, cause?: Cause): Promise<Choice>
  /** Asks the job's model one question. If an access cannot be used, the next one is asked. */
  ask(job: Job, question: Omit<Question, "model">, origin: CallOrigin): Promise<Answer>
  /** Holds a bounded conversation with the job's model, on the access that gave the first answer. */
  converse(
    job: Job,
    conversation: Omit<Conversation, "model" | "context">,
    origin: CallOrigin,
  ): Promise<JobConversationResult>
}

/** The working folder of the user's programs. Their sessions there are ours, not the user's own use. */
export function bridgeFolder(paths: Paths): string {
  return join(paths.stateDir, "bridges")
}

/** How long access states are cached: checking them runs programs and asks servers. */
const cachedMs = 5 * 60_000

/** The largest answer; `bridges/run-program.ts` has the same limit. */
const limits = { mostBytes: 32 * 1024 * 1024, redirects: "same-origin" } as const

/** Opens the model layer. Starts and asks nothing before the first use. */
export function openModels(needs: ModelsNeeds): Models {
  const { config, paths } = needs
  const ownServer = readLocalServer(needs)
  const local = openLocalServer({ ...needs, ...ownServer })
  const bridge = (id: "claude" | "codex") => ({
    ...needs,
    command: config.models[`${id}_command`],
    folder: join(bridgeFolder(paths), id),
  })
  const bridges = { claude: openClaude(bridge("claude")), codex: openCodex(bridge("codex")) }
  const finder = createProgramFinder(needs)
  const ask: AskNeeds = {
    ...needs,
    accesses: openAccesses(
      needs,
      ownServer,
      Object.values(bridges).map((one) => limitTime(one, needs.clock, longestMs(config))),
    ),
    dailyUsd: config.models.daily_usd,
    spending: { reservedUsd: 0, lock: createLock() },
    redacted: new WeakMap(),
    staysOnMachine: (access) => access === "local" && isLoopback(ownServer.url),
  }
  let cached: { until: number; states: Promise<AccessState[]> } | undefined
  const states = () => {
    const checked = accessStates({ ...needs, finder, bridges, local })
    cached = { until: needs.clock.now() + cachedMs, states: checked }
    return checked
  }
  const recentStates = () => (cached && cached.until > needs.clock.now() ? cached.states : states())

  async function choose(job: Job, cause: Cause = "own"): Promise<Choice> {
    const found = await local.models().catch(() => undefined)
    const served = found?.outcome === "found" ? found.models[0] : undefined
    const open: ChoiceView = {
      now: needs.clock.now(),
      provider: config.models.provider,
      configured: config.models[job] || (job === "extraction" ? config.models.judge : ""),
      allowApiKeys: config.models.allow_api_keys,
      states: config.models.provider === "none" ? [] : await recentStates(),
      pools: await poolStates(needs.db, needs.install),
      userActiveAt: await userActivity(needs),
      usdLeft: await usdLeft(needs),
      localModel: config.models.local_model || served,
      heldBack: new Map(),
    }
    const choice = chooseModel(open, job)
    const heldBack = await heldBackPools(needs, choice, cause)
    return heldBack.size === 0 ? choice : chooseModel({ ...open, heldBack }, job)
  }

  return {
    states,
    choose,
    async ask(job, question, origin) {
      const chain = openAccessChain(ask, await choose(job, origin.cause), origin)
      return chain.ask(question)
    },
    async converse(job, conversation, origin) {
      const choice = await choose(job, origin.cause)
      const chain = openAccessChain(ask, choice, origin)
      const ref = choice.chosen
      const context = ref ? contextOf(ref.access, ref.model, config.models.local_context) : 1
      const request = { ...conversation, model: ref?.model ?? "", context }
      const conversed = await converse({ clock: needs.clock, ask: chain.ask }, request)
      return { ...conversed, by: chain.used() }
    },
  }
}

/** The pools that the budget holds back among the usable candidates, each with its reason. */
async function heldBackPools(
  { checkBudget }: ModelsNeeds,
  choice: Choice,
  cause: Cause,
): Promise<Map<Pool, string>> {
  const held = new Map<Pool, string>()
  if (checkBudget === undefined) return held
  for (const { access, pool, model, usable } of choice.candidates) {
    if (!usable || model === null || held.has(pool)) continue
    const why = await checkBudget(choice.job, { access, model }, cause)
    if (why !== undefined) held.set(pool, why)
  }
  return held
}

/** The longest time for one answer: a program prints nothing before it is done, and a stream may never end. */
function longestMs({ models }: Config): number {
  return 5 * models.silence_seconds * 1000
}

/** The user's own model server and its key. */
function readLocalServer({ config, env }: ModelsNeeds): Address & { key: string | undefined } {
  const { local_key_env: variable } = config.models
  const key = variable === "" ? undefined : env.variable(variable)
  const { url, problem } = localAddress(config, key)
  return { url, key, problem: problem ?? problemWithApiKey(variable, key) }
}

function openAccesses(
  needs: ModelsNeeds,
  ownServer: Address & { key: string | undefined },
  bridges: readonly ModelAccess[],
): Map<AccessId, ModelAccess> {
  const { config, env, paths, clock } = needs
  const fetch = limitFetch(needs.fetch, limits)
  const http = { clock, fetch, silenceMs: config.models.silence_seconds * 1000 }
  const keyOf =
    (id: KeyedAccount): KeySource =>
    async () => {
      const key = findKey(env, paths.credentialsFile, id)
      const wrong = problemWithApiKey(keyKinds[id].variable, key)
      if (wrong) return { kind: "auth", message: wrong }
      if (key !== undefined) return { key }
      return { kind: "auth", message: `There is no key for ${id}; \`reverie login ${id}\` saves one.` }
    }
  const chatgpt = openChatgpt({
    ...needs,
    credentialsFile: paths.credentialsFile,
    issuer: issuerOf(env.openaiIssuer),
  })
  const signIn = async () => {
    const access = await chatgpt.access()
    return access.outcome === "valid" ? access : access.failure
  }
  const at = (address: Address, open: (url: string) => ModelAccess) =>
    limitTime(onlyIfSafe(open(address.url), address), clock, longestMs(config))
  const all = [
    at(providerAddress(env, "chatgpt"), (url) => chatGptAccess(http, url, signIn)),
    ...keyedAccounts.map((id) =>
      at(providerAddress(env, id), (url) => keyedAccess(id, http, url, keyOf(id))),
    ),
    ...(ownServer.url === "" ? [] : [at(ownServer, (url) => localAccess(http, url, ownServer.key))]),
    ...bridges,
  ]
  return new Map(all.map((access) => [access.id, access]))
}

/** An access whose address is unsafe always fails with the reason. */
function onlyIfSafe(access: ModelAccess, { problem }: Address): ModelAccess {
  if (problem === undefined) return access
  const failure = { kind: "unreachable", message: problem } as const
  return { id: access.id, ask: async () => failedAnswer(failure) }
}

/** Failures after which the next access is tried. Others would fail there too. */
const tryNextAfter: readonly FailureKind[] = ["rate-limited", "auth", "billing", "unreachable", "overloaded"]

/** Asks by the first access that answers, and stays with it. */
function openAccessChain(needs: AskNeeds, choice: Choice, origin: CallOrigin) {
  const open = choice.candidates.flatMap(({ usable, access, model }): ModelRef[] =>
    usable && model !== null ? [{ access, model }] : [],
  )
  let used: ModelRef | undefined
  return {
    used: () => used,
    async ask(question: Omit<Question, "model">): Promise<Answer> {
      let answer = failedAnswer({ kind: "unreachable", message: choice.why })
      for (const ref of used ? [used] : open) {
        answer = await askModel(needs, ref, question, origin)
        if (answer.outcome === "answered") used = ref
        if (answer.outcome === "answered" || !tryNextAfter.includes(answer.failure.kind)) return answer
      }
      return answer
    },
  }
}

async function userActivity({ db, install }: ModelsNeeds): Promise<Map<Pool, number>> {
  const found = new Map<Pool, number>()
  for (const pool of pools) {
    const at = await userCallTime(db, install, pool, "last")
    if (at !== null) found.set(pool, at)
  }
  return found
}

const dayMs = 86_400_000

async function usdLeft({ db, install, clock, config }: ModelsNeeds): Promise<number> {
  const { usd } = await paidSince(db, install, clock.now() - dayMs)
  return config.models.daily_usd - usd
}
