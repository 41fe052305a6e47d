import { shorten } from "../../base/text/text.ts"
import { costOf } from "../../llm/choice/catalog.ts"
import type { Models } from "../../llm/choice/models.ts"
import { isPaid } from "../../llm/limits/pools.ts"

type ModelRequest = Parameters<Models["converse"]>[1]
type ModelResult = Awaited<ReturnType<Models["converse"]>>

/** Asks the chat model; `usd` is what it cost. `timeSetting` names the setting that limits its time, for messages. */
export async function askChatModel(
  models: Models,
  request: ModelRequest,
  timeSetting: string,
): Promise<ModelResult & { usd: number; problem: string | undefined }> {
  const result = await models.converse("chat", request, { source: "chat", cycle: null })
  const { by, spent, end } = result
  const usd = by && isPaid(by.access) ? (spent.costUsd ?? costOf(by.model, spent) ?? 0) : 0
  return { ...result, usd, problem: problemOf(end, timeSetting) }
}

/** Why the model gave no answer, in one sentence; undefined if it gave one. */
function problemOf(end: ModelResult["end"], timeSetting: string): string | undefined {
  switch (end.reason) {
    case "answered":
      return undefined
    case "failed":
      return shorten(end.failure.message, 300)
    case "cut-off":
      return "The model's answer was cut off."
    case "tokens":
      return "The model used up its limit of tokens."
    case "time":
      return `The model took longer than ${timeSetting}.`
    case "aborted":
      return "It was cancelled."
    default:
      return "The model ended without a decision."
  }
}
