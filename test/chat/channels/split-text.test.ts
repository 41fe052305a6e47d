import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { splitText } from "../../../src/chat/channels/text/split-text.ts"

const inWords = (text: string) => text.replaceAll(/\s+/g, "")
const characters = (limit: number) => ({ limit, unit: "characters" }) as const
const bytes = (limit: number) => ({ limit, unit: "bytes" }) as const

describe("splitting a long text", () => {
  it("leaves a short one alone", () => {
    expect(splitText("hello", characters(10))).toEqual(["hello"])
    expect(splitText("  \n ", characters(10))).toEqual([])
  })

  it("cuts between paragraphs rather than lines, lines rather than sentences, sentences rather than words", () => {
    expect(splitText("one two.\nthree\n\nfour five six", characters(20))).toEqual([
      "one two.\nthree",
      "four five six",
    ])
    expect(splitText("one two three\nfour five. six", characters(20))).toEqual([
      "one two three",
      "four five. six",
    ])
    expect(splitText("one two three. four five six", characters(20))).toEqual([
      "one two three.",
      "four five six",
    ])
    expect(splitText("alpha beta gamma", characters(10))).toEqual(["alpha beta", "gamma"])
  })

  it("closes a code block at the end of a part and opens it again in the next", () => {
    const code = Array.from({ length: 12 }, (_, index) => `line(${index})`).join("\n")
    const parts = splitText(`Look:\n\`\`\`ts\n${code}\n\`\`\`\nThat is all.`, characters(100))
    expect(parts.length).toBeGreaterThan(1)
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(100)
      expect((part.match(/^```/gm) ?? []).length % 2).toBe(0)
    }
    expect(parts[1]).toMatch(/^```ts\nline/)
    const lines = parts.join("\n").split("\n")
    expect(lines.filter((line) => line.startsWith("line("))).toEqual(code.split("\n"))
  })

  it("never cuts a character that people see as one, in bytes either", () => {
    const family = "👨‍👩‍👧‍👦"
    for (const part of splitText(family.repeat(20), bytes(60))) expect(part.replaceAll(family, "")).toBe("")
    for (const part of splitText("e\u0301".repeat(50), characters(7))) expect(part).toMatch(/^(e\u0301)+$/)
    for (const part of splitText("漢".repeat(50), bytes(10))) expect(part).toBe("漢".repeat(part.length))
  })

  it("cuts a character that alone is too long between its code points", () => {
    const tower = `a${"\u0301".repeat(100)}`
    const parts = splitText(tower, bytes(20))
    expect(parts.join("")).toBe(tower)
    for (const part of parts) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(20)
  })

  it("loses nothing and lets no part be too long, whatever the text", () => {
    const text = fc.string({ unit: "binary", maxLength: 400 }).map((value) => value.toWellFormed())
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 8, max: 60 }),
        fc.constantFrom("characters", "bytes"),
        (value, limit, unit) => {
          const plain = value.replaceAll("`", "'")
          const parts = splitText(plain, { limit, unit })
          expect(inWords(parts.join(""))).toBe(inWords(plain))
          for (const part of parts)
            expect(unit === "bytes" ? Buffer.byteLength(part) : part.length).toBeLessThanOrEqual(limit)
        },
      ),
      { numRuns: 300 },
    )
  })

  it("lets no part be too long where there are code blocks, and ends", () => {
    const word = fc.constantFrom("```", "```ts", "\n", "\n\n", "word ", "x".repeat(70), "```\n", "漢字")
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), fc.integer({ min: 20, max: 120 }), (words, limit) => {
        for (const part of splitText(words.join(""), { limit, unit: "bytes" }))
          expect(Buffer.byteLength(part)).toBeLessThanOrEqual(limit)
      }),
      { numRuns: 300 },
    )
  })
})
