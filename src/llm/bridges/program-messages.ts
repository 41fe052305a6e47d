import { shorten } from "../../base/text/text.ts"
import type { FailureKind } from "../failure.ts"

const longest = 300

/** Anything that looks like a key or token: a known prefix, or a long mix of letters and digits. */
const keys =
  /\b(?:sk|rt|pk|sess|key|eyJ)[-_][\w.~+/=-]{6,}|\beyJ[\w.-]{10,}|\bBearer\s+\S+|(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{28,}/gi

/** A program's or provider's text, short, on one line and without keys, for use in our own sentence. */
export function quotable(text: string): string {
  return shorten(text.replaceAll(keys, "***"), longest).replace(/[.\s]+$/, "")
}

interface ProgramNames {
  program: string
  provider: string
  plan: string
  /** What to do if the sign-in has ended. */
  signInAgain: string
}

/** Describes a program's failure in one sentence; `detail` is the program's own message. */
export function failureSentence(
  kind: FailureKind,
  { program, provider, plan, signInAgain }: ProgramNames,
  { model, detail, knowsWhen }: { model: string; detail: string; knowsWhen: boolean },
): string {
  switch (kind) {
    case "rate-limited":
      return knowsWhen
        ? `The ${plan} subscription's limit is reached; wait until it resets.`
        : `${provider} limits your requests; try again in a while.`
    case "auth":
      return signInAgain
    case "billing":
      return `${program}'s account has no credit or plan for this; check its billing page.`
    case "unknown-model":
      return `${program} does not know the model ${model}, or the plan does not cover it; choose another.`
    case "context-full":
      return `The conversation is too long for ${model}; shorten it.`
    case "overloaded":
      return `${provider}'s servers have a problem; try again later.`
    case "unreachable":
      return `${program} could not reach its server; check the network.`
    case "malformed":
      return `${program}'s answer was cut off; ask again.`
    default:
      return `${program} refused the request: ${quotable(detail)}.`
  }
}
