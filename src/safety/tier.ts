/** What a call needs to run: nothing, a person's approval, or it never runs. The strictest last. */
const tiers = ["auto", "ask", "never"] as const

export type Tier = (typeof tiers)[number]

/** What a call would do. The hard list and the rules check effects, never the model's text. */
export type Effect =
  /** Writes a file below the folder `root`. */
  | { kind: "write"; path: string; root: string }
  /** Runs a command, in the sandbox only. */
  | { kind: "command"; command: string }
  | { kind: "push"; remote: string; branch: string; force?: boolean; deletes?: boolean }
  /** Sends a message to somebody else: a post, a mail, a pull request. */
  | { kind: "message"; to: string }
  /** Sends a request to an address on the network. */
  | { kind: "fetch"; url: string }
  /** Changes the safety settings, or decides a permission request. */
  | { kind: "safety"; what: string }

export function isOutward({ kind }: Effect): boolean {
  return kind === "push" || kind === "message" || kind === "fetch"
}

export function stricter(a: Tier, b: Tier): Tier {
  return tiers.indexOf(a) >= tiers.indexOf(b) ? a : b
}
