import { expect, test } from "vitest"
import { lineDiff } from "../../src/base/text/line-diff.ts"

const numbered = (count: number, word = "line") => Array.from({ length: count }, (_, at) => `${word} ${at}`)

test("shows three lines around each change and a mark where lines are left out", () => {
  const before = numbered(20)
  const after = before.with(1, "first").with(15, "second")
  expect(lineDiff(before.join("\n"), `${after.join("\n")}\n`)).toEqual([
    " line 0",
    "-line 1",
    "+first",
    " line 2",
    " line 3",
    " line 4",
    "…",
    " line 12",
    " line 13",
    " line 14",
    "-line 15",
    "+second",
    " line 16",
    " line 17",
    " line 18",
  ])
})

test("shows a new text and a removed one whole, and nothing where nothing differs", () => {
  expect(lineDiff("", "a\nb\n")).toEqual(["+a", "+b"])
  expect(lineDiff("a\nb\n", "")).toEqual(["-a", "-b"])
  expect(lineDiff("a\n", "a\n")).toEqual([])
})

test("two long texts that share nothing are shown one after the other, without a long search", () => {
  const lines = lineDiff(numbered(6000, "old").join("\n"), numbered(6000, "new").join("\n"))
  expect(lines).toHaveLength(12_000)
  expect(lines[0]).toBe("-old 0")
  expect(lines.at(-1)).toBe("+new 5999")
})
