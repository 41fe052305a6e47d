import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { appendItem, removeAt, setMember } from "../../src/coding/connect/settings/json-edit.ts"
import { parseJsonTree, plainValue } from "../../src/coding/connect/settings/json-tree.ts"

const server = { command: "reverie", args: ["mcp"] }
/** Names that a path of ours does not touch. */
const others = fc.dictionary(
  fc.string().filter((name) => name !== "mcpServers" && name !== "__proto__"),
  fc.jsonValue(),
)
const indents = fc.constantFrom<string | number>("", 1, 2, 4, "\t")
const ends = fc.constantFrom("", "\n", "\n\n")
const newlines = fc.constantFrom("\n", "\r\n")

/** JSON in any of the forms in which people keep it. */
const texts = fc
  .tuple(others, indents, ends, newlines)
  .map(([value, indent, end, newline]) =>
    (JSON.stringify(value, null, indent) + end).replaceAll("\n", newline),
  )

describe("Editing JSON", () => {
  test("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(plainValue(parseJsonTree(text))).toEqual(JSON.parse(text))
      }),
    )
  })

  test("sets a member and changes nothing else; taking it away gives the same bytes", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const edited = setMember(text, ["mcpServers", "reverie"], server)
        expect(JSON.parse(edited)).toEqual({ ...JSON.parse(text), mcpServers: { reverie: server } })
        const without = removeAt(edited, ["mcpServers", "reverie"])
        expect(removeAt(without, ["mcpServers"])).toBe(text)
      }),
    )
  })

  test("adds an item to a list; taking it away gives the same bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), indents, newlines, (list, indent, newline) => {
        const text = JSON.stringify({ list }, null, indent).replaceAll("\n", newline)
        const edited = appendItem(text, ["list"], server)
        expect(JSON.parse(edited)).toEqual(JSON.parse(JSON.stringify({ list: [...list, server] })))
        expect(removeAt(edited, ["list", list.length])).toBe(text)
      }),
    )
  })

  test("takes away any item of a list", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat(), indents, (list, pick, indent) => {
        const index = pick % list.length
        const edited = removeAt(JSON.stringify({ list }, null, indent), ["list", index])
        expect(JSON.parse(edited)).toEqual(JSON.parse(JSON.stringify({ list: list.toSpliced(index, 1) })))
      }),
    )
  })

  test("keeps comments and commas at the end where they are", () => {
    const text = `{
  // how it looks
  "theme": "dark", // not light
  "list": [
    1, /* one */
  ], // the list
}
`
    const edited = setMember(appendItem(text, ["list"], 2), ["mcpServers", "reverie"], {})
    expect(edited).toBe(`{
  // how it looks
  "theme": "dark", // not light
  "list": [
    1, /* one */
    2,
  ], // the list
  "mcpServers": {
    "reverie": {}
  },
}
`)
    const without = removeAt(removeAt(edited, ["mcpServers"]), ["list", 1])
    expect(without).toBe(text)
  })

  test("refuses what is not JSON and says where", () => {
    const faults = [
      '{"a": 1',
      "{a: 1}",
      '{"a": 1 "b": 2}',
      '{"a": 1}}',
      '{\n"a": tru\n}',
      '{"a": "x\ny"}',
      "",
    ]
    for (const text of faults) expect(() => parseJsonTree(text)).toThrow(/line \d+ cannot be read|too early/)
  })
})
