import { expect, test } from "vitest"
import { columnsOf, fitColumns } from "../../src/base/text/columns.ts"

test.each([
  ["plain", 5],
  ["日本語", 6],
  ["ﾊﾟ", 2], // half-width kana and its mark
  ["नि", 2], // a consonant and a vowel sign that takes room
  ["e\u0301", 1],
  ["👩‍👩‍👧", 2],
  ["⚠️", 2],
  ["\u200b", 0],
])("%j takes %i columns", (text, columns) => {
  expect(columnsOf(text)).toBe(columns)
})

test("cuts between characters, never inside one", () => {
  expect(fitColumns("日本語", 6)).toBe("日本語")
  expect(fitColumns("日本語", 5)).toBe("日本…")
  expect(fitColumns("日本語", 4)).toBe("日…")
})
