/** What it takes to run a call: nothing; a person's approval; or it never runs, whoever asks. The strictest last. */
const tiers = ["auto", "ask", "never"] as const

export type Tier = (typeof tiers)[number]

/** What a call would do, as far as safety has to know: the hard list and the rules look at it, never at prose. */
export type Effect =
  /** Writes a file; `root` is the folder that it may not leave. */
  | { kind: "write"; path: string; root: string }
  /** Runs a command. It runs in the sandbox or not at all. */
  | { kind: "command"; command: string }
  | { kind: "push"; remote: string; branch: string; force?: boolean; deletes?: boolean }
  /** Says something to somebody else than the person: a post, a mail, a pull request. */
  | { kind: "message"; to: string }
  /** Sends something to an address on the network, if only a question. */
  | { kind: "fetch"; url: string }
  /** Changes what safety allows, or decides a permission request. */
  | { kind: "safety"; what: string }

/** Whether an effect leaves this machine. */
export function isOutward({ kind }: Effect): boolean {
  return kind === "push" || kind === "message" || kind === "fetch"
}

/** The stricter of two. */
export function stricter(a: Tier, b: Tier): Tier {
  return tiers.indexOf(a) >= tiers.indexOf(b) ? a : b
}
