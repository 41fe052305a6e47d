import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { otherKind, sqliteDatabase } from "../../testkit/setup/databases.ts"
import { seriousFaults } from "../../testkit/web/axe.ts"
import { goWithin, hasBrowser, startBrowser } from "../../testkit/web/browser.ts"
import { openDashboard } from "../../testkit/web/dashboard.ts"
import type { SampleLife } from "../../testkit/web/sample-life.ts"

/** The machine may be busy. */
const patiently = { timeout: 15_000 }

let browser: Browser
beforeAll(async () => {
  if (hasBrowser) browser = await startBrowser()
})
afterAll(async () => browser?.close())

/** Every page, and something that must stand on it. */
function pagesOf({ told, conflict, cycle, session, request }: SampleLife): [string, RegExp][] {
  return [
    [
      "/",
      /Needs you[\s\S]*Push the branch fix\/upload-test[\s\S]*Thursdays[\s\S]*contradiction[\s\S]*Tuesdays[\s\S]*Learned[\s\S]*Jonas is away[\s\S]*Came up in your sessions[\s\S]*port 5433/,
    ],
    ["/memory", /Mira reviews everything that touches billing/],
    ["/memory?status=forgotten", /Nothing here/],
    ["/memory?q=staging%20port", /sure answer[\s\S]*port 5433/],
    [
      `/memory/${told}`,
      /Where it comes from[\s\S]*Claude Code[\s\S]*Ah, right[\s\S]*Confidence over time[\s\S]*loses half of its confidence every \d+ days unless it is confirmed[\s\S]*When it came up[\s\S]*Make the upload test[\s\S]*History[\s\S]*Rated/,
    ],
    [`/memory/${conflict[1]}`, /Tuesdays[\s\S]*These two cannot both be true[\s\S]*Newer[\s\S]*Thursdays/],
    ["/graph", /21 memories, 3 links/],
    ["/conflicts", /Newer[\s\S]*Thursdays[\s\S]*Older[\s\S]*Tuesdays/],
    ["/conflicts?project=harbour-site", /1 to resolve[\s\S]*harbour-site[\s\S]*Thursdays/],
    ["/conflicts?project=tidewater", /There are no conflicts/],
    ["/sessions", /Why do the smoke tests fail on staging\?[\s\S]*1 learned/],
    [`/sessions/${encodeURIComponent(session)}`, /Ah, right[\s\S]*Learned here[\s\S]*turn 3/],
    ["/sessions/codex%3Asample-1", /The upload test failed again[\s\S]*Came up here:[\s\S]*port 5433/],
    [
      "/inbox",
      /Push the branch fix\/upload-test[\s\S]*Risks[\s\S]*becomes visible[\s\S]*await upload\.finished/,
    ],
    [`/inbox/${request}`, /To undo it[\s\S]*Close the pull request/],
    ["/cycles", /Tagged what belongs to staging[\s\S]*2 changes/],
    [
      `/cycles/${cycle}`,
      /What it changed in the graph[\s\S]*Tagged[\s\S]*infra[\s\S]*Transcript[\s\S]*memory_tag[\s\S]*Receipt/,
    ],
    ["/queue", /Look at the flaky upload test again/],
    ["/usage", /Claude subscription: 5h[\s\S]*120[\s\S]*calls[\s\S]*claude-opus-4-8/],
    ["/journal", /A cycle ended\.[\s\S]*A memory was tagged by [\s\S]*A memory was saved by /],
    ["/chat", /No chat channel is switched on[\s\S]*Thoughts of its own[\s\S]*discovery_channels is empty/],
    ["/settings", /snapshot_every_hours[\s\S]*How often the daemon writes a snapshot/],
    ["/doctor", /database[\s\S]*no damage found/],
    ["/nowhere", /There is no such page/],
  ]
}

const heldThought: Answer<"chatThoughts"> = {
  schemaVersion: 1,
  note: null,
  communities: [
    {
      community: "discord/1490",
      thought: {
        id: "thought_1",
        text: "It reads frost dates now",
        room: "discord/1490/77",
        replyTo: null,
        media: { kind: "image", prompt: "frost" },
        reason: "People talk about something else.",
        createdAt: "2026-03-01T10:00:00.000Z",
        updatedAt: "2026-03-01T10:00:00.000Z",
        expiresAt: "2026-03-01T16:00:00.000Z",
        revision: 1,
        calls: 1,
        sources: [],
        hasReadWeb: false,
        isLeaving: false,
      },
      postsToday: 1,
      silence: { gate: "held thought", reason: "A thought is kept.", since: "2026-03-01T10:00:00.000Z" },
      recent: [
        {
          at: "2026-03-01T09:00:00.000Z",
          kind: "thought.dropped",
          what: "dropped a thought",
          reason: "Nobody was there.",
          room: null,
        },
      ],
    },
  ],
}

/** Goes to a page from one that is none, so that nothing of what was shown before stays. */
async function visit(page: Page, path: string): Promise<void> {
  await goWithin(page, "/nowhere")
  await expectWords(page, "/nowhere", /There is no such page/)
  await goWithin(page, path)
}

/** The page at this path has these words, sooner or later. */
async function expectWords(page: Page, path: string, words: RegExp): Promise<void> {
  await expect
    .poll(() => page.locator("main").textContent(), { timeout: 20_000, message: path })
    .toMatch(words)
}

/** Pages that have all the colours among them. */
const isTelling = /^\/(?:$|memory\/|inbox$|settings|usage)/

describe.skipIf(!hasBrowser)("The dashboard", () => {
  test("shows every page by its address, without an error, a request to outside, or a serious fault of axe", async () => {
    const { open, life, address } = await openDashboard(async () => sqliteDatabase())
    const { page, faults } = await open(browser)
    expect(new URL(page.url()).hash).toBe("")
    for (const [path, words] of pagesOf(life)) {
      await page.goto(address + path)
      await expectWords(page, path, words)
      if (path === "/graph") await page.waitForSelector("[data-drawn='21']")
      expect(await seriousFaults(page), path).toEqual([])
    }
    expect(faults).toEqual({ console: [], outside: [] })
  }, 180_000)

  // On SQLite the test on a phone visits them from within.
  test.skipIf(inject("postgresUrl") === "")(
    "shows every page on PostgreSQL, from within, with what is there, without an error or a request to outside",
    async () => {
      const { open, life } = await openDashboard(() => otherKind("sqlite"))
      const { page, faults } = await open(browser)
      for (const [path, words] of pagesOf(life)) {
        await visit(page, path)
        await expectWords(page, path, words)
        if (path === "/graph") await page.waitForSelector("[data-drawn='21']")
      }
      expect(faults).toEqual({ console: [], outside: [] })
    },
    180_000,
  )

  test("shows the thought it keeps in a community, why it waits, and what became of the last ones", async () => {
    const { open, address } = await openDashboard(async () => sqliteDatabase())
    const { page, faults } = await open(browser)
    await page.route("**/v1/chat/thoughts*", (route) => route.fulfill({ json: heldThought }))
    await page.goto(`${address}/chat`)
    await expect
      .poll(() => page.locator("main").textContent(), patiently)
      .toMatch(
        /discord\/1490[\s\S]*1 post[\s\S]*It reads frost dates now[\s\S]*waiting[\s\S]*discord\/1490\/77[\s\S]*Silent now \(held thought\)[\s\S]*Nobody was there[\s\S]*dropped a thought/,
      )
    expect(await seriousFaults(page)).toEqual([])
    expect(faults).toEqual({ console: [], outside: [] })
  })

  describe("fits", () => {
    test("a phone, and the light", async () => {
      const { open, life } = await openDashboard(async () => sqliteDatabase())
      const { page, faults } = await open(browser, {
        colorScheme: "light",
        viewport: { width: 390, height: 844 },
      })
      for (const [path, words] of pagesOf(life)) {
        await visit(page, path)
        await expectWords(page, path, words)
        if (path === "/graph") await page.waitForSelector("[data-drawn='21']")
        await expect.poll(() => page.locator("[aria-busy]").count(), patiently).toBe(0)
        const wide = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        expect(wide, `${path} is wider than the screen`).toBeLessThanOrEqual(0)
        if (isTelling.test(path)) expect(await seriousFaults(page), path).toEqual([])
      }
      await page.getByRole("button", { name: "Menu" }).click()
      await page.getByRole("link", { name: "Conflicts" }).click()
      await expect.poll(() => page.locator("main").textContent(), patiently).toMatch(/Thursdays/)
      expect(faults).toEqual({ console: [], outside: [] })
    })
  })
})
