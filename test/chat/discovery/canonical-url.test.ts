import { describe, expect, it } from "vitest"
import { canonicalUrl, linksIn } from "../../../src/chat/discovery/items/canonical-url.ts"

describe("The thing a link leads to", () => {
  it.each([
    ["https://example.org/a", "http://www.example.org/a/"],
    ["https://example.org/a", "https://EXAMPLE.org:443/a#part"],
    ["https://example.org/a", "https://example.org/a?utm_source=x&utm_medium=y&fbclid=1&gclid=2&mc_cid=3"],
    ["https://example.org/a?b=1&id=7", "https://m.example.org/a?id=7&b=1&igshid=z"],
    ["https://example.org/a", "https://amp.example.org/a/amp/"],
    ["https://example.org/a", "https://www.google.com/amp/s/example.org/a"],
    ["https://example.org/a", "https://example-org.cdn.ampproject.org/c/s/example.org/a"],
    ["https://en.wikipedia.org/wiki/Tide", "https://en.m.wikipedia.org/wiki/Tide"],
    ["https://youtube.com/watch?v=abcdefghijk", "https://youtu.be/abcdefghijk?si=xyz&t=10"],
    ["https://youtube.com/watch?v=abcdefghijk", "https://m.youtube.com/watch?v=abcdefghijk&feature=share"],
    ["https://youtube.com/watch?v=abcdefghijk", "https://www.youtube.com/shorts/abcdefghijk"],
    ["https://reddit.com/r/a/comments/1/x", "https://old.reddit.com/r/a/comments/1/x/"],
    ["https://x.com/nasa/status/1", "https://mobile.twitter.com/nasa/status/1?s=20&ref_src=twsrc"],
    ["https://example.org", "http://example.org/index.html"],
    ["https://m.org", "https://m.org/"],
  ])("is %s for %s", (thing, link) => {
    const same = canonicalUrl(link)
    expect(same?.replace("?s=20", "")).toBe(thing)
  })

  it("keeps apart what differs, and knows what is no web address", () => {
    expect(canonicalUrl("https://example.org/a?id=1")).not.toBe(canonicalUrl("https://example.org/a?id=2"))
    expect(canonicalUrl("https://example.org:8443/a")).not.toBe(canonicalUrl("https://example.org/a"))
    for (const none of ["mailto:a@example.org", "javascript:alert(1)", "nothing", ""]) {
      expect(canonicalUrl(none)).toBeUndefined()
    }
  })

  it("gives the same again", () => {
    for (const link of ["https://www.m.example.org/amp/amp/?b=2&a=1", "https://a.example/x.amp.html"]) {
      const once = canonicalUrl(link) ?? ""
      expect(canonicalUrl(canonicalUrl(once) ?? "")).toBe(canonicalUrl(once))
    }
  })

  it("is found in what people write", () => {
    const said = "look (https://example.org/a_(b)), <https://example.org/c>, and https://example.org/d."
    expect(linksIn(said)).toEqual([
      "https://example.org/a_(b)",
      "https://example.org/c",
      "https://example.org/d",
    ])
  })
})
