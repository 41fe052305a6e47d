import { lexicon } from "../read/lexicon.ts"
import { compareQuantities } from "../read/quantity.ts"
import type { Token } from "../read/token.ts"
import type { Opposition } from "./relation.ts"

/** How two tokens in the same slot relate. */
export type Match = { is: "equal" | "near" | "scope" | "other" } | { is: "opposed"; by: Opposition["by"] }

const equal: Match = { is: "equal" }
const near: Match = { is: "near" }
const scope: Match = { is: "scope" }
const other: Match = { is: "other" }
const antonym: Match = { is: "opposed", by: "antonym" }
const alternative: Match = { is: "opposed", by: "alternative" }
const flagged: Match = { is: "opposed", by: "negation" }

/** Whether a token means the same as one of the others. */
export function isAmong(token: Token, others: readonly Token[]): boolean {
  return others.some((other) => compareTokens(token, other).is === "equal")
}

/** Compares two tokens; the answer is the same whichever comes first. */
export function compareTokens(a: Token, b: Token): Match {
  if (a.form === "quantity" || b.form === "quantity") return compareWithQuantity(a, b)
  if (a.key === b.key) return equal
  if (a.form === "code" && b.form === "code") return compareCode(a.key, b.key)
  if (a.form === "sign" || b.form === "sign") return other
  return compareWords(a.key, b.key)
}

function compareWords(a: string, b: string): Match {
  switch (lexicon().relate(a, b)) {
    case "equal":
    case "synonym":
      return equal
    case "near":
      return near
    case "antonym":
      return antonym
    case "alternative":
      return alternative
    case "scope":
      return scope
    case "unknown":
      return differsInNumber(a, b) ? { is: "opposed", by: "number" } : other
  }
}

function compareWithQuantity(a: Token, b: Token): Match {
  if (a.quantity === undefined || b.quantity === undefined) {
    return lexicon().relate(wordOf(a), wordOf(b)) === "antonym" ? antonym : other
  }
  const comparison = compareQuantities(a.quantity, b.quantity)
  if (comparison === "equal") return equal
  if (comparison === "perhaps") return near
  if (comparison === "unrelated") return other
  const kinds = [a.quantity.kind, b.quantity.kind]
  if (kinds.includes("ordinal")) return { is: "opposed", by: "ordinal" }
  return { is: "opposed", by: kinds.includes("version") ? "version" : "number" }
}

function wordOf(token: Token): string {
  return token.quantity?.kind === "ordinal" && token.quantity.value === 1 ? "first" : token.key
}

/** `--no-verify` negates `--verify`; code that differs only in digits has another number. */
function compareCode(a: string, b: string): Match {
  if (a.replace(/^--no-/, "--") === b.replace(/^--no-/, "--")) return flagged
  return differsInNumber(a, b) ? { is: "opposed", by: "number" } : other
}

/** utf8 and utf16, localhost:3000 and localhost:8000. */
function differsInNumber(a: string, b: string): boolean {
  return (
    /\d/.test(a) && /\d/.test(b) && a.length < 200 && a.replaceAll(/\d+/g, "0") === b.replaceAll(/\d+/g, "0")
  )
}
