import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { decodeText } from "../../src/base/net/safe-fetch/decode-text.ts"
import { createHostQueue } from "../../src/base/net/safe-fetch/host-queue.ts"
import { openFetch, servePaths, text } from "../../testkit/discovery/world.ts"
import { serveHttp } from "../../testkit/http-server.ts"
import { createManualClock, until } from "../../testkit/manual-clock.ts"

const never = new AbortController().signal

describe("Fetching what others offer", () => {
  it.each([
    ["plain", undefined, (body: Buffer) => body],
    ["gzip", "gzip", gzipSync],
    ["deflate", "deflate", deflateSync],
    ["raw deflate", "deflate", deflateRawSync],
    ["brotli", "br", brotliCompressSync],
  ])("unpacks %s", async (_name, encoding, pack) => {
    const body = Buffer.from("tide ".repeat(40_000))
    const headers: Record<string, string> = encoding === undefined ? {} : { "content-encoding": encoding }
    const outcome = await openFetch()(await serveHttp(text(pack(body), headers)))
    expect(outcome.ok && Buffer.from(outcome.body).equals(body)).toBe(true)
  })

  it("follows a redirect and says where it ended, under a name of its own", async () => {
    const { base, asked } = await servePaths({
      "/old": (_request, response) => response.writeHead(301, { location: "/new#part" }).end(),
      "/new": text("here"),
    })
    expect(await openFetch()(`${base}/old`)).toMatchObject({ ok: true, status: 200, url: `${base}/new` })
    expect(asked[1]?.headers["user-agent"]).toMatch(/^reverie\//)
  })

  it("hands over 304 where the request had what was known, and no body", async () => {
    const { base } = await servePaths({
      "/feed": (request, response) =>
        request.headers["if-none-match"] === '"1"' ? response.writeHead(304).end() : response.end("x"),
    })
    const outcome = await openFetch()(`${base}/feed`, { headers: { "if-none-match": '"1"' } })
    expect(outcome).toMatchObject({ ok: true, status: 304 })
  })

  it("leaves a server alone for as long as it asks, and then asks again", async () => {
    const clock = createManualClock()
    let hits = 0
    const base = await serveHttp((_request, response) => {
      hits += 1
      if (hits === 1) response.writeHead(429, { "retry-after": "120" }).end()
      else response.end("well")
    })
    const fetch = openFetch({ clock })
    expect(await fetch(base)).toMatchObject({ why: "busy", status: 429, retryAt: clock.now() + 120_000 })
    expect(await fetch(base)).toMatchObject({ why: "busy" })
    expect(hits).toBe(1)
    await clock.advance(120_000)
    expect(await fetch(base)).toMatchObject({ ok: true })
  })

  it("understands a date in Retry-After, and waits longer each time where none is said", async () => {
    const clock = createManualClock()
    const times: number[] = []
    const date = new Date(clock.now() + 600_000).toUTCString()
    let hits = 0
    const base = await serveHttp((_request, response) => {
      hits += 1
      response.writeHead(503, hits === 1 ? { "retry-after": date } : {}).end()
    })
    const fetch = openFetch({ clock })
    for (let round = 0; round < 3; round += 1) {
      const outcome = await fetch(base)
      const wait = "retryAt" in outcome ? (outcome.retryAt ?? 0) - clock.now() : 0
      times.push(wait)
      await clock.advance(wait)
    }
    expect(times).toEqual([600_000, 120_000, 240_000])
  })

  it("asks one host once at a time with a pause between, and other hosts meanwhile", async () => {
    const clock = createManualClock()
    const politeness = createHostQueue(clock)
    const first = await politeness.enter("a", 2000, never)
    let second = false
    const waiting = politeness.enter("a", 2000, never).then((turn) => {
      second = true
      return turn
    })
    const other = await politeness.enter("b", 2000, never)
    other.end()
    await clock.advance(60_000)
    expect(second).toBe(false)
    first.end()
    await clock.advance(1999)
    expect(second).toBe(false)
    await clock.advance(1)
    await until(() => second)
    ;(await waiting).end()
  })

  it("gives the turn on when somebody who waits goes away", async () => {
    const clock = createManualClock()
    const politeness = createHostQueue(clock)
    const first = await politeness.enter("a", 0, never)
    const gone = new AbortController()
    const left = politeness.enter("a", 0, gone.signal)
    const third = politeness.enter("a", 0, never)
    gone.abort()
    await expect(left).rejects.toThrow("stopped")
    first.end()
    ;(await third).end()
  })

  it("stops when it is told to", async () => {
    const stop = new AbortController()
    const base = await serveHttp(() => stop.abort())
    expect(await openFetch()(base, { signal: stop.signal })).toMatchObject({ ok: false, why: "stopped" })
  })

  it("says in words what was wrong", async () => {
    const { base } = await servePaths({})
    expect(await openFetch()(`${base}/nowhere`)).toMatchObject({ why: "status", status: 404 })
    const closed = openFetch({ clock: systemClock })
    expect(await closed("http://127.0.0.1:1/")).toMatchObject({ why: "address" })
    const resolve = async () => []
    expect(await openFetch({ resolve })("http://nobody.example/")).toMatchObject({ why: "unreachable" })
  })
})

describe("The charset of a text", () => {
  const latin = Buffer.from("<?xml version='1.0' encoding='ISO-8859-1'?><t>Grüße</t>", "latin1")
  const japanese = Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea])
  const cases: [string, Uint8Array, string | undefined, string][] = [
    ["UTF-8 without a word about it", Buffer.from("Grüße"), undefined, "Grüße"],
    ["Latin-1 by the header", Buffer.from("Grüße", "latin1"), "text/html; charset=iso-8859-1", "Grüße"],
    ["Latin-1 by the XML declaration", latin, "application/xml", "Grüße"],
    [
      "Latin-1 by its declaration, against a header that says UTF-8",
      latin,
      "text/xml; charset=utf-8",
      "Grüße",
    ],
    ["Latin-1 without a word about it", Buffer.from("Grüße", "latin1"), "text/html", "Grüße"],
    ["Shift_JIS by the header", japanese, 'text/html; charset="Shift_JIS"', "日本語"],
    [
      "Shift_JIS by a meta element",
      Buffer.concat([
        Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=shift_jis">'),
        japanese,
      ]),
      "text/html",
      "日本語",
    ],
    ["UTF-16 with a mark", Buffer.from("\ufeffGrüße", "utf16le"), "application/xml", "Grüße"],
    ["UTF-16 with the other mark", Buffer.from("\ufeffGrüße", "utf16le").swap16(), undefined, "Grüße"],
    [
      "UTF-16 XML without a mark",
      Buffer.from("<?xml version='1.0'?><t>Grüße</t>", "utf16le"),
      undefined,
      "Grüße",
    ],
    [
      "UTF-8 with a mark, against the header",
      Buffer.from("\ufeffGrüße"),
      "text/html; charset=latin1",
      "Grüße",
    ],
    [
      "UTF-8 that says it is UTF-16",
      Buffer.from("<?xml version='1.0' encoding='utf-16'?>Grüße"),
      undefined,
      "Grüße",
    ],
    ["a charset that there is not", Buffer.from("Grüße"), "text/html; charset=klingon", "Grüße"],
  ]
  it.each(cases)("%s", (_name, body, contentType, expected) => {
    expect(decodeText(body, contentType)).toContain(expected)
  })
})
