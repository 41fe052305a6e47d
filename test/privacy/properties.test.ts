import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { configSchema } from "../../src/config/schema.ts"
import { openScreen } from "../../src/privacy/screen.ts"
import { harmlessTexts } from "../../testkit/hostile/harmless-texts.ts"
import { plantPersonalData, plantSecrets } from "../../testkit/hostile/planted-secrets.ts"
import { createManualClock } from "../../testkit/manual-clock.ts"
import { createSeededRandom } from "../../testkit/seeded-random.ts"

const screen = openScreen({ clock: createManualClock() }, configSchema.parse({}).privacy)

/** Pieces that rules look for, so that chance puts them together in ways nobody thought of. */
const pieces = [
  ..."= : :// @ \" ' ` \\ \n | [ ] ; & + . , ( ) \uFFFC 😀".split(" "),
  ..."password secret token bearer basic cookie: api_key is -----BEGIN -----END PRIVATE KEY----- eyJ ghp_ sk-".split(
    " ",
  ),
  ..."hunter2!x 4111111111111111 +491701234567 jane@acme.dev DE89370400440532013000 [password removed]".split(
    " ",
  ),
  ...plantSecrets(createSeededRandom(11), 60).flatMap(({ secret, text }) => [secret, text]),
  ...plantPersonalData(createSeededRandom(12), 12).map(({ text }) => text),
  ...harmlessTexts(createSeededRandom(13)).slice(0, 40),
]
const piece = fc.oneof(
  fc.constantFrom(...pieces),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom(" ", "\n"),
)
const text = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(""))

describe("Any text", () => {
  test("looked through twice is as it was after the first time", async () => {
    const property = fc.asyncProperty(text, async (given) => {
      const first = await screen.check(given)
      if (first.outcome === "refused") return
      expect(await screen.check(first.text)).toEqual({ outcome: "clean", text: first.text })
    })
    await fc.assert(property, { numRuns: 600 })
  })

  test("loses what only stands near a telling word once other findings are gone", async () => {
    const commit = "965a31fb7cebc35dddd308619548bd0690073b92.2026-11-02T10:14:03.221Z"
    const key = `sk-ant-api03-${"-UTsQA5yXlp7se33qajFcRTRHn79PhutGZ8drz8MDjOKA5D8jpMYurdv15sCBzAUguo8kaKoa0SjWaelca73XPMXqdyhr"}AA`
    const given = `The token fix is in c7e6f1993f80299fa31d10f985e22e74b46b4434, not in ${commit} ERROR worker-3 request failed with ${key} after 3 attemptsconst client = createClient({ region: "eu", value: "npm_qPrCPH4maPPO7li9NpsSQ6utfcKiWQUyiQ9U" }) // see src/net/client.ts\nHzd2vySU2T6XkhmypTMBcptfukC`
    const screened = await screen.check(given)
    expect(screened).toMatchObject({ outcome: "redacted" })
    if (screened.outcome !== "redacted") return
    expect(screened.text).toMatch(/client\.ts\n\[high-entropy removed\]$/)
    expect(screened.findings.at(-1)).toMatchObject({ start: given.indexOf("Hzd2vy"), end: given.length })
  })

  test("loses a password that an address stands right behind", async () => {
    const given = "Found while debugging the nightly build: password: YpsgluATOXv!jane@acme.dev"
    const kept = "Found while debugging the nightly build: password: [password removed][email removed]"
    expect(screen.redactSync(given)).toBe(kept)
    expect(await screen.check(given)).toMatchObject({ outcome: "redacted", text: kept })
  })

  test("for the log, too", () => {
    const property = fc.property(text, (given) => {
      const once = screen.redactSync(given)
      expect(screen.redactSync(once)).toBe(once)
    })
    fc.assert(property, { numRuns: 600 })
  })

  test("has its findings in order, apart from each other, inside it, and gone from what is kept", async () => {
    const property = fc.asyncProperty(text, async (given) => {
      const screened = await screen.check(given)
      if (screened.outcome === "clean") {
        expect(screened.text).toBe(given)
        return
      }
      let last = 0
      for (const { start, end } of screened.findings) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        last = end
      }
      expect(last).toBeLessThanOrEqual(given.length)
      if (screened.outcome === "refused") return
      const rest = screened.findings
        .toReversed()
        .reduce(
          (kept, { kind, start, end }) => `${kept.slice(0, start)}[${kind} removed]${kept.slice(end)}`,
          given,
        )
      expect(screened.text).toBe(rest)
    })
    await fc.assert(property, { numRuns: 300 })
  })
})

test("A text with very many findings loses all of them", async () => {
  const address = ["a", "b.co"].join("@")
  const screened = await screen.check(`Everyone who wrote to us: ${`${address} `.repeat(150_000)}`)
  expect(screened.outcome === "redacted" && screened.findings.length).toBe(150_000)
  expect(screened.outcome === "redacted" && screened.text.includes(address)).toBe(false)
})

test("Long texts made to be slow come to an end", async () => {
  // A rule that is not linear would need minutes for these and run into the time limit of the test.
  const hostile = [
    "a",
    "aA1",
    "=",
    "password=",
    "password is ",
    "token: ",
    "://a:",
    "@a.",
    "1-",
    "+1 ",
    "4111 ",
    "DE89 ",
    "bearer ",
    "-----BEGIN RSA PRIVATE KEY-----",
    "eyJghp_xoxb-1-",
    "eyJaaaaaaaaaaaaa.",
    "\\n",
    '"',
    '" +\n"',
    "<password>",
    " ",
    "\n ",
  ]
  for (const part of hostile) {
    const long = part.repeat(Math.ceil(100_000 / part.length))
    const screened = await screen.check(`${long} the end of a long story`)
    expect(["clean", "redacted", "refused"]).toContain(screened.outcome)
  }
})
