import { systemClock } from "../../src/base/clock.ts"
import { UserError } from "../../src/base/errors.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { loadConfig } from "../../src/config/load.ts"
import { pathsFor } from "../../src/config/paths.ts"
import type { Config } from "../../src/config/schema.ts"
import type { Answer } from "../../src/llm/choice/access.ts"
import { findClaims } from "../../src/memory/extract/extract.ts"
import { createProjectFinder } from "../../src/memory/model/project.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { openStore } from "../latency/open-store.ts"
import type { Bench, Figure } from "../shared/figures.ts"
import { sqliteStores } from "../shared/stores.ts"
import { type AskedModel, liveModel, modelsOf, replayedModel } from "./asked-model.ts"
import { figuresByTitle, type Labelled, type Read, sayWrong } from "./labelled.ts"
import { requireRecording, startRecording } from "./recording.ts"

/** Where the answers come from: a model, with or without a file they are written to, or such a file alone. */
type AnswersFrom = { model: string; record: string | undefined } | { replay: string }

/** Reads the options; undefined where no model is to be asked. */
export function answersFrom({ model, record, replay }: Bench["options"]): AnswersFrom | undefined {
  if (typeof replay === "string") {
    if (model === undefined && record === undefined) return { replay }
    throw new UserError("usage", "--replay asks no model; leave out --model and --record.")
  }
  if (typeof model === "string") return { model, record: typeof record === "string" ? record : undefined }
  if (record === undefined) return undefined
  throw new UserError("usage", "--record writes down what a model answers; name one with --model.")
}

/** A text, what was learned of it with a model's help, and all that the model answered. */
interface ReadByModel extends Read {
  answers: Answer[]
  dropped: number
}

/** What is learned with a model, by the program's own prompt, check and limits; each author apart, with what it takes. */
export async function byModelFigures(
  bench: Bench,
  rows: readonly Labelled[],
  from: AnswersFrom,
): Promise<Figure[]> {
  const env = readEnvironment()
  const base = { env, paths: pathsFor(env), clock: systemClock, random: systemRandom, log: silentLog }
  const config = configFor(loadConfig(env, base.paths), from)
  const screen = openScreen(base, config.privacy)
  // A database of its own: nothing of this is the user's memory or ledger.
  const db = await openStore(await sqliteStores(bench).create())
  bench.atEnd(() => db.close())
  const needs = { ...base, db, config, screen, projects: createProjectFinder(base), embedder: undefined }
  const asking = { ...needs, install: "bench", fetch, redact: screen.redactSync }
  const asked =
    "replay" in from
      ? replayedModel(requireRecording(from.replay))
      : await liveModel(asking, from.record === undefined ? undefined : startRecording(from.record))
  bench.say(`${rows.length} messages, read by ${asked.name}${"replay" in from ? ", as recorded" : ""}`)
  const read = await readAll(bench, needs, asked, rows, "replay" in from ? Infinity : mostFailures)
  const answered = read.filter(isAnswered)
  sayUnanswered(bench, read, from)
  sayWrong(bench, answered)
  return [
    ...figuresByTitle(answered).map((figure) => ({ ...figure, id: `model.${figure.id}` })),
    ...costFigures(read, "replay" in from),
  ]
}

/** The user's own settings, with extraction by the model that was named. */
function configFor(config: Config, from: AnswersFrom): Config {
  const { memory, extraction, models } = config
  const named = "replay" in from || from.model === "configured" ? {} : { extraction: from.model }
  // A recording is read whatever may be asked.
  const provider = "replay" in from ? "auto" : models.provider
  return {
    ...config,
    memory: { ...memory, enabled: true },
    extraction: { ...extraction, enabled: true, use_model: true },
    models: { ...models, ...named, provider },
  }
}

/** So many messages are read at a time, and after so many without an answer in a row no more are sent. */
const atOnce = 4
const mostFailures = 12

async function readAll(
  bench: Bench,
  needs: Omit<Parameters<typeof findClaims>[0], "models">,
  asked: AskedModel,
  rows: readonly Labelled[],
  failuresAllowed: number,
): Promise<ReadByModel[]> {
  const read: ReadByModel[] = []
  const waiting = rows.entries()
  const failures: string[] = []
  let done = 0
  const work = async () => {
    for (const [index, row] of waiting) {
      const one = await readRow(needs, asked, row)
      read[index] = one
      const failed = one.answers.find((answer) => answer.outcome === "failed")
      if (failed) failures.push(failed.failure.message)
      else failures.length = 0
      if (failures.length >= failuresAllowed) return
      done += 1
      bench.progress("reading", done, rows.length)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  if (failures.length < failuresAllowed) return read
  throw new UserError(
    "failed",
    `${failures.length} messages in a row got no answer: ${failures.at(-1)} What was answered is recorded, if that was asked for.`,
  )
}

async function readRow(
  needs: Omit<Parameters<typeof findClaims>[0], "models">,
  asked: AskedModel,
  row: Labelled,
): Promise<ReadByModel> {
  const answers: Answer[] = []
  const models = modelsOf(asked, (answer) => answers.push(answer))
  const turns = [{ role: "user" as const, text: row.text, position: 0, at: 0 }]
  const { claims, dropped } = await findClaims(
    { ...needs, models },
    { session: "bench", turns, isAsked: true },
  )
  return {
    ...row,
    told: claims.filter(({ quarantined }) => !quarantined),
    supposed: claims.filter(({ quarantined }) => quarantined),
    answers,
    dropped,
  }
}

/** Whether everything that was asked was answered; what is too short is not asked about. */
function isAnswered({ answers }: ReadByModel): boolean {
  return answers.every(({ outcome }) => outcome === "answered")
}

function sayUnanswered(bench: Bench, read: readonly ReadByModel[], from: AnswersFrom): void {
  const missing = read.filter((row) => !isAnswered(row)).length
  if (missing === 0) return
  const all = read.filter(({ answers }) => answers.length > 0).length
  const why =
    "replay" in from
      ? `are not in ${from.replay}, since the prompt or the messages have changed; --model NAME --record FILE asks for them`
      : "got no answer"
  bench.say(`${missing} of ${all} prompts ${why}. Their messages are left out of the figures.`)
}

/** What was asked and not answered, what the check of the evidence threw out, and what the answers took. */
function costFigures(read: readonly ReadByModel[], isReplay: boolean): Figure[] {
  const answers = read.flatMap((row) => row.answers)
  const spent = answers.flatMap((answer) => (answer.outcome === "answered" ? [answer.spent] : []))
  const asked = read.filter((row) => row.answers.length > 0)
  const lower = (id: string, value: number, unit: string, rows: number): Figure => ({
    id: `model.${id}`,
    value,
    unit,
    better: "lower",
    rows,
  })
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const costs = spent.flatMap(({ costUsd }) => costUsd ?? [])
  const missing = asked.filter((row) => !isAnswered(row)).length
  return [
    lower(isReplay ? "not-in-recording" : "not-answered", missing, "prompts", asked.length),
    lower("notes.dropped", sum(read.map(({ dropped }) => dropped)), "notes", asked.length),
    lower("tokens.input", sum(spent.map(({ input }) => input)), "tokens", spent.length),
    lower("tokens.cached-input", sum(spent.map(({ cachedInput }) => cachedInput)), "tokens", spent.length),
    lower("tokens.output", sum(spent.map(({ output }) => output)), "tokens", spent.length),
    // Only a paid key has a price for each call.
    ...(costs.length === 0 ? [] : [lower("cost", sum(costs), "USD", costs.length)]),
  ]
}
