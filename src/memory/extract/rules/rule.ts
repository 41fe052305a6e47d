import type { Claim } from "../claim.ts"

/** One sentence of the user's, as the rules see it. */
export interface Reading {
  /** Without lead-in and trail. */
  text: string
  end: string
  /** The sentence before it in the same message, unchanged. */
  before: string | undefined
  /** The agent's last message, if this one answers it. */
  answered: string | undefined
  /** The message is a task, and this is not its first sentence. */
  inTask: boolean
}

/** What a rule makes of a sentence: the parts of a claim that it knows. */
export interface Draft
  extends Pick<Claim, "content" | "type" | "steps" | "triggers" | "quarantined">,
    Partial<Pick<Claim, "source" | "confidence">> {
  /** It counts even in the description of a task. */
  strong?: boolean
}

/** A rule returns undefined for sentences that it does not match: most of them. */
export type Rule = (reading: Reading) => Draft | undefined
