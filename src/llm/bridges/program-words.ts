import { shorten } from "../../base/text/text.ts"
import type { FailureKind } from "../failure.ts"

const longest = 300

/** Anything that looks like a key or token: a known beginning, or a long run of letters and digits mixed. */
const keys =
  /\b(?:sk|rt|pk|sess|key|eyJ)[-_][\w.~+/=-]{6,}|\beyJ[\w.-]{10,}|\bBearer\s+\S+|(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{28,}/gi

/** What a program or its provider said, short, on one line and without keys, to be quoted in a sentence of ours. */
export function quotable(text: string): string {
  return shorten(text.replaceAll(keys, "***"), longest).replace(/[.\s]+$/, "")
}

/** What a program, its provider and its plan are called. */
interface ProgramNames {
  program: string
  provider: string
  plan: string
  /** What to do where the sign-in is over. */
  signInAgain: string
}

/** A failure that a program told of, in one sentence of ours; `said` are the program's own words. */
export function failureSentence(
  kind: FailureKind,
  { program, provider, plan, signInAgain }: ProgramNames,
  { model, said, knowsWhen }: { model: string; said: string; knowsWhen: boolean },
): string {
  switch (kind) {
    case "rate-limited":
      return knowsWhen
        ? `The ${plan} subscription's limit is reached; wait until it resets.`
        : `${provider} wants fewer requests; try again in a while.`
    case "auth":
      return signInAgain
    case "billing":
      return `${program}'s account has no credit or plan for this; look at its billing page.`
    case "unknown-model":
      return `${program} does not know the model ${model}, or the plan does not cover it; choose another.`
    case "context-full":
      return `The conversation is too long for ${model}; shorten it.`
    case "overloaded":
      return `${provider}'s servers have trouble; try again later.`
    case "unreachable":
      return `${program} could not reach its server; look at the network.`
    case "malformed":
      return `${program}'s answer broke off; ask again.`
    default:
      return `${program} refused the request: ${quotable(said)}.`
  }
}
