import { join } from "node:path"
import { createLock } from "../../base/lock.ts"
import { limitFetch } from "../../base/net/limit-fetch.ts"
import { isLoopback } from "../../base/net/web-address.ts"
import { problemWithKeyValue } from "../../config/key-value.ts"
import type { Host, Paths } from "../../config/paths.ts"
import type { Config } from "../../config/schema.ts"
import type { InstallCore } from "../../storage/core.ts"
import { type AskNeeds, askModel, type Cause, type Errand } from "../ask.ts"
import { openClaude } from "../bridges/claude.ts"
import { openCodex } from "../bridges/codex.ts"
import { createProgramFinder } from "../bridges/find-program.ts"
import { type Conversation, type Conversed, converse } from "../converse.ts"
import type { FailureKind } from "../failure.ts"
import { lastUserCall, paidSince } from "../ledger.ts"
import { type Pool, pools } from "../limits/limit-reading.ts"
import { limitTime } from "../limits/limit-time.ts"
import { poolStates } from "../limits/pool-state.ts"
import {
  anthropicAccess,
  chatGptAccess,
  type KeySource,
  localAccess,
  openAiAccess,
  openRouterAccess,
} from "../sdk/providers.ts"
import type { KeyedAccount } from "../signin/account-ids.ts"
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

/** The budget's word on one call: a sentence that says why a job may not draw on a pool now. */
export type HeldBack = (job: Job, ref: ModelRef, cause: Cause) => Promise<string | undefined>

/** What the model layer needs. */
export interface ModelsNeeds extends InstallCore, Host {
  fetch: typeof fetch
  redact(text: string): string
  /** Why a job may not draw on a pool now, as the budget has it; undefined where it may. Without it nothing is held. */
  heldBack?: HeldBack | undefined
}

/** What a conversation for a job needs beyond the choice of the model. */
type JobConversation = Omit<Conversation, "model" | "context">

/** What came of it, and by which model; undefined where none could be asked. */
interface JobConversed extends Conversed {
  by: ModelRef | undefined
}

/** Every model that may be asked, by job. */
export interface Models {
  /** How each way stands, looked at anew. */
  states(): Promise<AccessState[]>
  /** Which model a job would ask; how the ways stand is believed for some minutes. */
  choose(job: Job, cause?: Cause): Promise<Choice>
  /** Asks the job's model one thing; where a way is closed, the next one is taken. */
  ask(job: Job, question: Omit<Question, "model">, errand: Errand): Promise<Answer>
  /** Has a bounded conversation with the job's model; the first answer decides which one that is. */
  converse(job: Job, conversation: JobConversation, errand: Errand): Promise<JobConversed>
}

/** The folder in which the user's programs run for us; what they write about it is not the user's own use. */
export function bridgeFolder(paths: Paths): string {
  return join(paths.stateDir, "bridges")
}

/** How long it is believed how the ways stand: looking runs programs and asks servers. */
const believedMs = 5 * 60_000

/** More than this is no answer of a model; what a program may say at most is the same (`bridges/run-program.ts`). */
const limits = { mostBytes: 32 * 1024 * 1024, redirects: "same-origin" } as const

/** Opens the model layer; nothing is asked or started before it is used. */
export function openModels(needs: ModelsNeeds): Models {
  const { config, paths } = needs
  const ownServer = openOwnServer(needs)
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
    spending: { setAsideUsd: 0, lock: createLock() },
    screened: new WeakMap(),
    staysHere: (access) => access === "local" && isLoopback(ownServer.url),
  }
  let believed: { until: number; states: Promise<AccessState[]> } | undefined
  const states = () => {
    const looked = accessStates({ ...needs, finder, bridges, local })
    believed = { until: needs.clock.now() + believedMs, states: looked }
    return looked
  }
  const known = () => (believed && believed.until > needs.clock.now() ? believed.states : states())

  async function choose(job: Job, cause: Cause = "own"): Promise<Choice> {
    const found = await local.models().catch(() => undefined)
    const served = found?.outcome === "found" ? found.models[0] : undefined
    const open: ChoiceView = {
      now: needs.clock.now(),
      provider: config.models.provider,
      wanted: config.models[job] || (job === "extraction" ? config.models.judge : ""),
      allowApiKeys: config.models.allow_api_keys,
      states: config.models.provider === "none" ? [] : await known(),
      pools: await poolStates(needs.db, needs.install),
      userActiveAt: await userActivity(needs),
      usdLeft: await usdLeft(needs),
      localModel: config.models.local_model || served,
      heldBack: new Map(),
    }
    const choice = chooseModel(open, job)
    const heldBack = await heldOf(needs, choice, cause)
    return heldBack.size === 0 ? choice : chooseModel({ ...open, heldBack }, job)
  }

  return {
    states,
    choose,
    async ask(job, question, errand) {
      const way = openWay(ask, await choose(job, errand.cause), errand)
      return way.ask(question)
    },
    async converse(job, conversation, errand) {
      const choice = await choose(job, errand.cause)
      const way = openWay(ask, choice, errand)
      const ref = choice.chosen
      const context = ref ? contextOf(ref.access, ref.model, config.models.local_context) : 1
      const told = { ...conversation, model: ref?.model ?? "", context }
      const conversed = await converse({ clock: needs.clock, ask: way.ask }, told)
      return { ...conversed, by: way.taken() }
    },
  }
}

/** What the budget keeps each way that could be gone from doing. */
async function heldOf({ heldBack }: ModelsNeeds, choice: Choice, cause: Cause): Promise<Map<Pool, string>> {
  const held = new Map<Pool, string>()
  if (heldBack === undefined) return held
  for (const { access, pool, model, usable } of choice.candidates) {
    if (!usable || model === null || held.has(pool)) continue
    const why = await heldBack(choice.job, { access, model }, cause)
    if (why !== undefined) held.set(pool, why)
  }
  return held
}

/** How long one answer may take as a whole: a program says nothing before it is done, a stream may drip for ever. */
function longestMs({ models }: Config): number {
  return 5 * models.silence_seconds * 1000
}

/** The user's own server, with the key it wants. */
function openOwnServer({ config, env }: ModelsNeeds): Address & { key: string | undefined } {
  const { local_key_env: variable } = config.models
  const key = variable === "" ? undefined : env.variable(variable)
  const { url, problem } = localAddress(config, key)
  return { url, key, problem: problem ?? problemWithKeyValue(variable, key) }
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
      const wrong = problemWithKeyValue(keyKinds[id].variable, key)
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
    at(providerAddress(env, "openai"), (url) => openAiAccess(http, url, keyOf("openai"))),
    at(providerAddress(env, "anthropic"), (url) => anthropicAccess(http, url, keyOf("anthropic"))),
    at(providerAddress(env, "openrouter"), (url) => openRouterAccess(http, url, keyOf("openrouter"))),
    ...(ownServer.url === "" ? [] : [at(ownServer, (url) => localAccess(http, url, ownServer.key))]),
    ...bridges,
  ]
  return new Map(all.map((access) => [access.id, access]))
}

/** A way whose address may be sent nothing is not asked, and says why. */
function onlyIfSafe(access: ModelAccess, { problem }: Address): ModelAccess {
  if (problem === undefined) return access
  const failure = { kind: "unreachable", message: problem } as const
  return { id: access.id, ask: async () => failedAnswer(failure) }
}

/** Failures after which another way may do; anything else would fail there too. */
const closing: readonly FailureKind[] = ["rate-limited", "auth", "billing", "unreachable", "overloaded"]

/** Asks by the first way that is open, and stays with it. */
function openWay(needs: AskNeeds, choice: Choice, errand: Errand) {
  const open = choice.candidates.flatMap(({ usable, access, model }): ModelRef[] =>
    usable && model !== null ? [{ access, model }] : [],
  )
  let taken: ModelRef | undefined
  return {
    taken: () => taken,
    async ask(question: Omit<Question, "model">): Promise<Answer> {
      let answer = failedAnswer({ kind: "unreachable", message: choice.why })
      for (const ref of taken ? [taken] : open) {
        answer = await askModel(needs, ref, question, errand)
        if (answer.outcome === "answered") taken = ref
        if (answer.outcome === "answered" || !closing.includes(answer.failure.kind)) return answer
      }
      return answer
    },
  }
}

async function userActivity({ db, install }: ModelsNeeds): Promise<Map<Pool, number>> {
  const found = new Map<Pool, number>()
  for (const pool of pools) {
    const at = await lastUserCall(db, install, pool)
    if (at !== null) found.set(pool, at)
  }
  return found
}

const dayMs = 86_400_000

async function usdLeft({ db, install, clock, config }: ModelsNeeds): Promise<number> {
  const { usd } = await paidSince(db, install, clock.now() - dayMs)
  return config.models.daily_usd - usd
}
