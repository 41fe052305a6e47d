import type { AskedMessage } from "./asked.ts"

/**
 * What the real APIs refuse about tool calls in what was said so far: a call without a result, a result without a
 * call. Null where all is well.
 */
export function pairingProblem(
  messages: readonly AskedMessage[],
  results: "next-message" | "anywhere-after",
): string | null {
  for (const [index, message] of messages.entries()) {
    const after = messages.slice(index + 1, results === "next-message" ? index + 2 : undefined)
    const before =
      results === "next-message" ? messages.slice(Math.max(0, index - 1), index) : messages.slice(0, index)
    const unanswered = callIds(message).filter((id) => !after.flatMap(resultIds).includes(id))
    if (unanswered.length > 0)
      return `messages.${index}: tool calls without a result: ${unanswered.join(", ")}`
    const unasked = resultIds(message).filter((id) => !before.flatMap(callIds).includes(id))
    if (unasked.length > 0) return `messages.${index}: tool results without a call: ${unasked.join(", ")}`
  }
  return null
}

function callIds(message: AskedMessage): string[] {
  return message.role === "assistant" ? message.calls.map((call) => call.id) : []
}

function resultIds(message: AskedMessage): string[] {
  return message.role === "tool" ? message.results.map((result) => result.callId) : []
}
