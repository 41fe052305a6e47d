import type { Asked } from "./asked.ts"
import type { FailKind, FailStep } from "./step.ts"

interface OpenAiError {
  message: string
  type: string
  param: string | null
  code: string | null
}

/** The error body of OpenAI's APIs, and the status it comes with. */
export function openAiFailure(
  failing: FailStep,
  asked: Asked | null,
): { status: number; error: OpenAiError } {
  const { status, ...known } = typeof failing.fail === "string" ? kinds[failing.fail] : byStatus(failing.fail)
  const message = (failing.message ?? known.message).replace("{model}", asked?.model ?? "?")
  return { status, error: { type: known.type, param: null, code: known.code, ...known.more, message } }
}

interface Known {
  status: number
  message: string
  type: string
  code: string | null
  more?: Record<string, unknown>
}

const kinds: Record<FailKind, Known> = {
  "context-full": {
    status: 400,
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    type: "invalid_request_error",
    code: "context_length_exceeded",
    more: { param: "input" },
  },
  "no-credit": {
    status: 429,
    message: "You exceeded your current quota, please check your plan and billing details.",
    type: "insufficient_quota",
    code: "insufficient_quota",
  },
  // What the back end of ChatGPT plans says when a window is used up.
  "usage-limit": {
    status: 429,
    message: "The usage limit has been reached",
    type: "usage_limit_reached",
    code: null,
    more: { plan_type: "plus" },
  },
}

const statuses: Record<number, Omit<Known, "status">> = {
  400: { message: "Invalid value for the request.", type: "invalid_request_error", code: "invalid_value" },
  401: {
    message: "Incorrect API key provided. You can find your API key in your account settings.",
    type: "invalid_request_error",
    code: "invalid_api_key",
  },
  402: { message: "Insufficient credits. Add more and try again.", type: "billing_error", code: null },
  403: { message: "You have insufficient permissions.", type: "invalid_request_error", code: null },
  404: {
    message: "The model `{model}` does not exist or you do not have access to it.",
    type: "invalid_request_error",
    code: "model_not_found",
  },
  429: {
    message: "Rate limit reached for {model} on tokens per min (TPM). Please try again in 1s.",
    type: "tokens",
    code: "rate_limit_exceeded",
  },
  503: {
    message: "The engine is currently overloaded, please try again later",
    type: "server_error",
    code: "server_is_overloaded",
  },
}

function byStatus(status: number): Known {
  const unknown = {
    message: "The server had an error while processing your request. Sorry about that!",
    type: "server_error",
    code: "server_error",
  }
  return { status, ...(statuses[status] ?? unknown) }
}
