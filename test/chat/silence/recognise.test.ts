import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { recogniseSilence } from "../../../src/chat/silence/recognise.ts"

interface Variant {
  form: string
  text: string
}

function variants(name: string): Variant[] {
  const lines = readFileSync(new URL(name, import.meta.url), "utf8")
    .trim()
    .split("\n")
  return lines.map((line) => JSON.parse(line))
}

const silent = variants("./silent.jsonl")
const spoken = variants("./spoken.jsonl")

test("there are at least 150 variants, on both sides", () => {
  expect(silent.length + spoken.length).toBeGreaterThanOrEqual(150)
  expect(Math.min(silent.length, spoken.length)).toBeGreaterThanOrEqual(75)
})

describe("silence", () => {
  test.each(silent)("$form", ({ text }) => {
    expect(recogniseSilence(text).isSilent).toBe(true)
  })
})

describe("speech", () => {
  test.each(spoken)("$form", ({ text }) => {
    expect(recogniseSilence(text).isSilent).toBe(false)
  })
})

describe("what is said", () => {
  const said = (raw: string) => {
    const spoken = recogniseSilence(raw)
    return spoken.isSilent ? null : spoken.text
  }

  test("has no thinking and no tags around it", () => {
    expect(said("<think>They ask for it.</think>\n<final>The port is 7373.</final>")).toBe(
      "The port is 7373.",
    )
  })

  test("has no lines about tools", () => {
    expect(said('🔧 memory_search("port")\nThe port is 7373.')).toBe("The port is 7373.")
  })

  test("is otherwise as it was written", () => {
    const code = 'Try this:\n```ts\nreturn "[NO_REPLY]"\n```'
    expect(said(code)).toBe(code)
  })
})
