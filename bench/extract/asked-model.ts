import { systemClock } from "../../src/base/clock.ts"
import { UserError } from "../../src/base/errors.ts"
import type { Answer, ModelRef, Question } from "../../src/llm/choice/access.ts"
import { contextOf, costOf } from "../../src/llm/choice/catalog.ts"
import { type Models, type ModelsNeeds, openModels } from "../../src/llm/choice/models.ts"
import { converse } from "../../src/llm/converse.ts"
import { isPaid } from "../../src/llm/limits/pools.ts"
import type { Recording } from "./recording.ts"

/** A model that can be asked, or what it answered once. */
export interface AskedModel {
  /** As WAY/MODEL. */
  name: string
  /** Tokens it takes at once. */
  context: number
  ask(question: Question): Promise<Answer>
}

const origin = { source: "extraction", cycle: null, cause: "asked" } as const

/** The model that the program itself would ask, what it answers being recorded; what is recorded already is not asked again. */
export async function liveModel(needs: ModelsNeeds, recording: Recording | undefined): Promise<AskedModel> {
  const { chosen, why } = await openModels(needs).choose("extraction", origin.cause)
  if (chosen === null) throw new UserError("failed", `No model can be asked: ${why}`)
  const name = `${chosen.access}/${chosen.model}`
  if (recording?.asked !== undefined && recording.asked !== name)
    throw new UserError("usage", `${recording.file} has answers of ${recording.asked}; give another file.`)
  // One run asks one model: the next way would not be comparable.
  const { config } = needs
  const models = openModels({
    ...needs,
    config: { ...config, models: { ...config.models, extraction: name } },
  })
  return {
    name,
    context: contextOf(chosen.access, chosen.model, config.models.local_context),
    async ask(question) {
      const known = recording?.find(question)
      if (known) return known
      const answer = priced(chosen, await models.ask("extraction", question, origin))
      if (answer.outcome === "answered") recording?.add(name, question, answer)
      return answer
    },
  }
}

/** What the ledger would say that it cost. */
function priced({ access, model }: ModelRef, answer: Answer): Answer {
  if (answer.outcome === "failed") return answer
  const { spent } = answer
  const costUsd = isPaid(access) ? (spent.costUsd ?? costOf(model, spent)) : null
  return { ...answer, spent: { ...spent, costUsd } }
}

/** A recording in a model's place: what is not in it gets no answer. */
export function replayedModel(recording: Recording): AskedModel {
  const failure = { kind: "unreachable", message: `It is not in ${recording.file}.` } as const
  const missing: Answer = { outcome: "failed", failure, spent: null, readings: [] }
  return {
    name: recording.asked ?? "nobody",
    // Recorded are answers of models of every size; these texts are far below the smallest.
    context: 128_000,
    ask: async (question) => recording.find(question) ?? missing,
  }
}

/** The models of the program with this one in their place; `heard` is told of each answer. */
export function modelsOf(asked: AskedModel, heard: (answer: Answer) => void): Models {
  const ref: ModelRef = { access: "local", model: asked.name }
  const ask = async (question: Question) => {
    const answer = await asked.ask(question)
    heard(answer)
    return answer
  }
  return {
    states: async () => [],
    choose: async (job) => ({ job, chosen: ref, why: "", candidates: [] }),
    ask: (_job, question) => ask({ ...question, model: asked.name }),
    async converse(_job, conversation) {
      const told = { ...conversation, model: asked.name, context: asked.context }
      return { ...(await converse({ clock: systemClock, ask }, told)), by: ref }
    },
  }
}
