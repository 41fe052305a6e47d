import { describe, expect, it } from "vitest"
import { queriesFor, queryForError, queryForWork } from "../../src/recall/build-queries.ts"
import { announcesChange, isTopicChange } from "../../src/recall/topic.ts"

describe("what memory is asked after", () => {
  it("is the request itself where it says enough", () => {
    const request = "How does the billing service retry failed webhook deliveries?"
    expect(queriesFor(request, ["Something about fonts"])).toEqual([request])
  })

  it("is the request, then the request with the last thing said, where it says little", () => {
    const before = ["Old text about fonts", "Move the retry queue to Redis"]
    const inContext = "How do we merge?\nMove the retry queue to Redis"
    expect(queriesFor("How do we merge?", before)).toEqual(["How do we merge?", inContext])
  })

  it("is the request with the last thing said where it says nothing by itself", () => {
    expect(queriesFor("And that?", ["Move the retry queue to Redis"])).toEqual([
      "And that?\nMove the retry queue to Redis",
    ])
  })

  it("is what somebody wrote, not what they pasted", () => {
    const log = Array.from({ length: 300 }, (_, n) => `2026-01-01T10:00:${n} worker[12] {"a":${n},"b":[1,2]}`)
    const [focus] = queriesFor(
      `The checkout worker stops at night:\n${log.join("\n")}\nWhy does it stop?`,
      [],
    )
    expect(focus).toBe("The checkout worker stops at night:\nWhy does it stop?")
    const code = `Rename the handler in this file:\n\`\`\`ts\n${"const a = 1\n".repeat(500)}\`\`\``
    expect(queriesFor(code, [])[0]).toMatch(/^Rename the handler in this file:$/)
  })

  it("keeps the beginning and the end of a long request, and is bounded", () => {
    const long = `Begin with the ledger. ${"And some more words follow here. ".repeat(300)} End with the invoice.`
    const [focus] = queriesFor(long, [])
    expect(focus?.length).toBeLessThanOrEqual(701)
    expect(focus).toMatch(/^Begin with the ledger\.[\s\S]*End with the invoice\.$/)
  })

  it("is something even if everything was pasted", () => {
    expect(queriesFor("```\nnpm ERR! code ERESOLVE\n```", [])[0]).toContain("ERESOLVE")
  })

  it("is what is new before what was asked for, while an agent works", () => {
    const focus = queryForWork(`${"old words ".repeat(200)}now the migration of invoices`, "Fix the ledger")
    expect(focus).toMatch(/now the migration of invoices\nFix the ledger$/)
    expect(focus?.length).toBeLessThanOrEqual(701)
  })

  it("is the error itself when a tool fails, without what differs from run to run", () => {
    const text = [
      "> shop@1.0.0 test",
      "2026-01-01T10:00:00.123Z starting",
      'Error: relation "invoices" does not exist at /home/someone/work/shop/src/db.ts:14:22',
      "    at Pool.query (/home/someone/work/shop/node_modules/pg/lib/pool.js:3:4)",
      "    at main",
    ].join("\n")
    expect(queryForError(text)).toBe('Error: relation "invoices" does not exist at db.ts')
    expect(queryForError("one\ntwo\nthree\nfour")).toBe("two\nthree\nfour")
  })
})

describe("a change of subject", () => {
  const soFar = {
    texts: ["Make the checkout page blue", "And its heading larger"],
    vectors: [],
    wasAsked: false,
  }

  it("is seen where people say so", () => {
    expect(announcesChange("By the way, how are invoices numbered?")).toBe(true)
    expect(isTopicChange(soFar, "New task: number the invoices by year", undefined)).toBe(true)
  })

  it("is not seen in what says nothing of its own, nor at the beginning", () => {
    for (const text of ["yes", "ok, go on", "continue", "do that"])
      expect(isTopicChange(soFar, text, undefined)).toBe(false)
    expect(isTopicChange({ ...soFar, texts: [] }, "How are invoices numbered here?", undefined)).toBe(false)
  })

  it("is a matter of meaning where there are vectors", () => {
    const vectors = [Float32Array.of(1, 0), Float32Array.of(1, 0)]
    const text = "How are the invoices of a year numbered?"
    expect(isTopicChange({ ...soFar, vectors }, text, Float32Array.of(0, 1))).toBe(true)
    expect(isTopicChange({ ...soFar, vectors }, text, Float32Array.of(1, 0))).toBe(false)
  })

  it("is less likely in an answer", () => {
    const text = "Number the invoices by year, month and customer?"
    const vectors = [Float32Array.of(0.35, Math.sqrt(1 - 0.35 ** 2))]
    const vector = Float32Array.of(1, 0)
    expect(isTopicChange({ ...soFar, vectors }, text, vector)).toBe(true)
    expect(isTopicChange({ ...soFar, vectors, wasAsked: true }, text, vector)).toBe(false)
  })
})
