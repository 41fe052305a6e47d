import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { relate } from "../../src/language/compare/relate.ts"

const subject = fc.constantFrom(
  "The API",
  "Our build",
  "The user",
  "This project",
  "Maria",
  "The nightly job",
)
const verb = fc.constantFrom("uses", "needs", "starts", "keeps", "prefers", "writes", "deletes", "shows")
const object = fc.constantFrom(
  "two workers",
  "the cache",
  "npm",
  "old logs",
  "red labels",
  "src/main.ts",
  "tabs",
)
const ending = fc.constantFrom("", " at night", " in production", " for tests", " with Docker", " on Mondays")

const statement = fc
  .tuple(subject, verb, object, ending)
  .map(([who, does, what, how]) => `${who} ${does} ${what}${how}`)
const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 80 }),
  statement,
  fc
    .array(
      fc.oneof(
        fc.constantFrom("not", "no", "is", "the", "20", "1.2.3", "--x", "a/b", "“", "👩‍💻", "ß"),
        fc.string(),
      ),
      {
        maxLength: 12,
      },
    )
    .map((words) => words.join(" ")),
)

describe("relate, whatever it is given", () => {
  it("never throws and gives the same kind both ways round", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(relate(a, b).kind).toBe(relate(b, a).kind)
      }),
      { numRuns: 1000 },
    )
  })

  it("takes a text for the same as itself", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(relate(text, text)).toEqual({ kind: "same" })
        expect(relate(text, ` ${text}  `)).toEqual({ kind: "same" })
      }),
    )
  })

  it("never merges a statement with its denial", () => {
    const denials = fc.constantFrom("never", "no longer", "doesn't ever")
    fc.assert(
      fc.property(subject, verb, object, ending, denials, (who, does, what, how, denial) => {
        const kind = relate(`${who} ${does} ${what}${how}`, `${who} ${denial} ${does} ${what}${how}`).kind
        expect(kind).toBe("contradicts")
      }),
    )
  })

  it("never merges statements with different numbers", () => {
    const number = fc.oneof(
      fc.nat(1_000_000),
      fc.nat(99).map((n) => n / 10),
    )
    fc.assert(
      fc.property(
        statement,
        number,
        number,
        fc.constantFrom("", " seconds", " MB", "%"),
        (text, a, b, unit) => {
          fc.pre(a !== b)
          expect(relate(`${text} ${a}${unit}`, `${text} ${b}${unit}`).kind).not.toBe("same")
          expect(relate(`Zahl ${a} größer`, `Zahl ${b} größer`).kind).not.toBe("same")
        },
      ),
    )
  })

  it("never merges a statement with one that has another word", () => {
    const word = fc.stringMatching(/^[a-z]{4,9}$/)
    fc.assert(
      fc.property(statement, word, (text, more) => {
        const added = relate(text, `${text} ${more}`).kind
        expect(added === "same" ? ignored(more) : true).toBe(true)
      }),
    )
  })
})

/** The few words whose absence changes nothing. */
function ignored(word: string): boolean {
  return /^(?:this|that|these|those|been|being|were|does|there|which|whom|your|yours|ours|please|ever|currently|presently)$/.test(
    word,
  )
}
