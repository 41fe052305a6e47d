import type { Asked } from "./asked.ts"
import type { FailKind, FailStep } from "./step.ts"

/** The error of Anthropic's API, and the status it comes with. */
export function anthropicFailure(
  failing: FailStep,
  asked: Asked | null,
): { status: number; error: AnthropicError } {
  const known = typeof failing.fail === "string" ? kinds[failing.fail] : byStatus(failing.fail)
  const message = (failing.message ?? known.message).replace("{model}", asked?.model ?? "?")
  return { status: known.status, error: { type: known.type, message } }
}

interface AnthropicError {
  type: string
  message: string
}

interface Known extends AnthropicError {
  status: number
}

const kinds: Record<FailKind, Known> = {
  "context-full": {
    status: 400,
    type: "invalid_request_error",
    message: "prompt is too long: 212345 tokens > 200000 maximum",
  },
  "no-credit": {
    status: 400,
    type: "invalid_request_error",
    message:
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  },
  "usage-limit": {
    status: 429,
    type: "rate_limit_error",
    message: "This request would exceed your account's rate limit. Please try again later.",
  },
}

const statuses: Record<number, AnthropicError> = {
  400: { type: "invalid_request_error", message: "messages: at least one message is required" },
  401: { type: "authentication_error", message: "invalid x-api-key" },
  402: { type: "billing_error", message: "Your account has a billing issue. Check your payment details." },
  403: { type: "permission_error", message: "Your API key does not have permission to use this resource." },
  404: { type: "not_found_error", message: "model: {model}" },
  413: { type: "request_too_large", message: "Request exceeds the maximum size" },
  429: {
    type: "rate_limit_error",
    message: "This request would exceed the rate limit for your organization.",
  },
  529: { type: "overloaded_error", message: "Overloaded" },
}

function byStatus(status: number): Known {
  return { status, ...(statuses[status] ?? { type: "api_error", message: "Internal server error" }) }
}
