import { join } from "node:path"
import type { Clock } from "../base/clock.ts"
import { createLock } from "../base/lock.ts"
import type { Log } from "../base/log.ts"
import type { Random } from "../base/random.ts"
import type { Environment } from "../config/environment.ts"
import type { Paths } from "../config/paths.ts"
import type { Config } from "../config/schema.ts"
import type { Database } from "../storage/database.ts"
import type { AccessId, Answer, ModelAccess, ModelRef, Question } from "./access.ts"
import { accessStates } from "./access-states.ts"
import { type AskNeeds, askModel, type Cause, type Errand } from "./ask.ts"
import { openClaude } from "./bridges/claude.ts"
import { openCodex } from "./bridges/codex.ts"
import { createProgramFinder } from "./bridges/find-program.ts"
import { contextOf, type Job } from "./catalog.ts"
import { type Conversation, type Conversed, converse } from "./converse.ts"
import type { FailureKind } from "./failure.ts"
import { lastUserCall, paidSince } from "./ledger.ts"
import { type Pool, pools } from "./limit-reading.ts"
import { limitTime } from "./limit-time.ts"
import { openLocalServer } from "./local-server.ts"
import { poolStates } from "./pool-state.ts"
import {
  anthropicAccess,
  chatGptAccess,
  type KeySource,
  localAccess,
  openAiAccess,
  openRouterAccess,
} from "./sdk/providers.ts"
import { type AccessState, type Choice, type ChoiceView, chooseModel } from "./select.ts"
import type { KeyedAccount } from "./signin/account-ids.ts"
import { openChatgpt } from "./signin/chatgpt.ts"
import { issuerOf } from "./signin/issuer.ts"
import { findKey } from "./signin/keys.ts"

/** The budget's word on one call: a sentence that says why a job may not draw on a pool now. */
export type HeldBack = (job: Job, ref: ModelRef, cause: Cause) => Promise<string | undefined>

/** What the model layer needs. */
export interface ModelsNeeds {
  db: Database
  clock: Clock
  random: Random
  log: Log
  env: Environment
  paths: Paths
  config: Config
  install: string
  fetch: typeof fetch
  redact(text: string): string
  /** Why a job may not draw on a pool now, as the budget has it; undefined where it may. Without it nothing is held. */
  heldBack?: HeldBack | undefined
  /** More variables for the user's own programs, such as the address of another server. */
  programEnv?: Readonly<Record<string, string>>
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

/** Where the providers answer, unless the variables their own programs know say otherwise. */
const addresses = {
  openai: { variable: "OPENAI_BASE_URL", url: "https://api.openai.com/v1" },
  anthropic: { variable: "ANTHROPIC_BASE_URL", url: "https://api.anthropic.com" },
  openrouter: { variable: "OPENROUTER_BASE_URL", url: "https://openrouter.ai/api/v1" },
  chatgpt: { variable: "REVERIE_CHATGPT_URL", url: "https://chatgpt.com/backend-api/codex" },
} as const

function addressOf(env: Environment, id: keyof typeof addresses): string {
  const { variable, url } = addresses[id]
  const address = (env.variable(variable) ?? url).replace(/\/+$/, "")
  // Anthropic's own programs take the address without the version.
  return id === "anthropic" && !address.endsWith("/v1") ? `${address}/v1` : address
}

/** The folder in which the user's programs run for us; what they write about it is not the user's own use. */
export function bridgeFolder(paths: Paths): string {
  return join(paths.stateDir, "bridges")
}

/** How long it is believed how the ways stand: looking runs programs and asks servers. */
const believedMs = 5 * 60_000

/** Opens the model layer; nothing is asked or started before it is used. */
export function openModels(needs: ModelsNeeds): Models {
  const { config, env, paths } = needs
  const localKey = config.models.local_key_env === "" ? undefined : env.variable(config.models.local_key_env)
  const local = openLocalServer({ ...needs, url: config.models.local_url, key: localKey })
  const bridge = (id: "claude" | "codex") => ({
    ...needs,
    command: config.models[`${id}_command`],
    folder: join(bridgeFolder(paths), id),
    ...(needs.programEnv ? { extraEnv: needs.programEnv } : {}),
  })
  const bridges = { claude: openClaude(bridge("claude")), codex: openCodex(bridge("codex")) }
  const finder = createProgramFinder(needs)
  const ask: AskNeeds = {
    ...needs,
    accesses: openAccesses(
      needs,
      localKey,
      Object.values(bridges).map((one) => limitTime(one, needs.clock, bridgeMs(config))),
    ),
    dailyUsd: config.models.daily_usd,
    spending: { setAsideUsd: 0, lock: createLock() },
    screened: new WeakMap(),
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

/** A program says nothing before it is done, so it gets longer than a silence over HTTP. */
function bridgeMs({ models }: Config): number {
  return 5 * models.silence_seconds * 1000
}

function openAccesses(
  needs: ModelsNeeds,
  localKey: string | undefined,
  bridges: readonly ModelAccess[],
): Map<AccessId, ModelAccess> {
  const { config, env, paths, clock, fetch } = needs
  const http = { clock, fetch, silenceMs: config.models.silence_seconds * 1000 }
  const keyOf =
    (id: KeyedAccount): KeySource =>
    async () => {
      const found = findKey(env, paths.credentialsFile, id)
      if (found) return { key: found.key }
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
  const all = [
    chatGptAccess(http, addressOf(env, "chatgpt"), signIn),
    openAiAccess(http, addressOf(env, "openai"), keyOf("openai")),
    anthropicAccess(http, addressOf(env, "anthropic"), keyOf("anthropic")),
    openRouterAccess(http, addressOf(env, "openrouter"), keyOf("openrouter")),
    ...(config.models.local_url === "" ? [] : [localAccess(http, config.models.local_url, localKey)]),
    ...bridges,
  ]
  return new Map(all.map((access) => [access.id, access]))
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
      let answer: Answer = noModel(choice)
      for (const ref of taken ? [taken] : open) {
        answer = await askModel(needs, ref, question, errand)
        if (answer.outcome === "answered") taken = ref
        if (answer.outcome === "answered" || !closing.includes(answer.failure.kind)) return answer
      }
      return answer
    },
  }
}

function noModel({ why }: Choice): Answer {
  return { outcome: "failed", failure: { kind: "unreachable", message: why }, spent: null, readings: [] }
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
