import type { ServerResponse } from "node:http"
import type { HttpRequest } from "./asked.ts"
import { sendJson } from "./delivery.ts"
import { messagesFormat } from "./messages-format.ts"
import { tokensIn } from "./said.ts"

/** Answers what is not a question to the model: which models there are, how many tokens a request has. */
export function answerOther(request: HttpRequest, response: ServerResponse, models: readonly string[]): void {
  const route = `${request.method} ${request.path}`
  if (route === "GET /v1/models" || route === "GET /api/v1/models") {
    sendJson(response, 200, {}, modelList(models))
  } else if (route === "POST /v1/messages/count_tokens") {
    sendJson(response, 200, {}, { input_tokens: tokensIn(JSON.stringify(request.body)) })
  } else if (request.method === "POST" && request.path.endsWith(":countTokens")) {
    sendJson(response, 200, {}, { totalTokens: tokensIn(JSON.stringify(request.body)) })
  } else {
    sendJson(
      response,
      404,
      {},
      messagesFormat.refuse({ fail: 404, message: `no such path: ${route}` }, null).body,
    )
  }
}

/** Both providers' fields at once: their clients read only their own. */
function modelList(models: readonly string[]) {
  return {
    object: "list",
    data: models.map((id) => ({
      id,
      object: "model",
      created: 1_700_000_000,
      owned_by: "scripted",
      type: "model",
      display_name: id,
      created_at: "2023-11-14T22:13:20Z",
    })),
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  }
}
