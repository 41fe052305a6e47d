import formats from "../../../../assets/privacy/token-formats.json" with { type: "json" }

/** The published format of one vendor's tokens. */
export interface TokenFormat {
  kind: string
  /** A text that every such token contains. It is searched for first because that is cheap. */
  hint: string
  pattern: RegExp
}

/** All formats. Each must be recognisable without any context. */
export const tokenFormats: readonly TokenFormat[] = formats.map(({ kind, hint, pattern, ignoreCase }) => ({
  kind,
  hint,
  pattern: new RegExp(`(?<![A-Za-z0-9])(?:${pattern})`, ignoreCase ? "gi" : "g"),
}))
