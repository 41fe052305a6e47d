import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { describeDatabases, sqliteDatabase } from "../../testkit/setup/databases.ts"
import { openAsking, playAsker } from "../../testkit/web/asking.ts"
import { seriousFaults } from "../../testkit/web/axe.ts"
import { hasBrowser, startBrowser } from "../../testkit/web/browser.ts"
import { rightLine, wrongLine } from "../../testkit/work/failing-project.ts"
import { playFixer } from "../../testkit/work/fixer-agent.ts"

/** The machine may be busy, and the agent works meanwhile. */
const patiently = { timeout: 30_000 }

let browser: Browser
beforeAll(async () => {
  if (hasBrowser) browser = await startBrowser()
})
afterAll(async () => browser?.close())

const words = (page: Page, selector = "main") =>
  expect.poll(() => page.locator(selector).first().textContent(), patiently)

/** Goes to a page by its two keys. */
async function goTo(page: Page, letter: string, title: string): Promise<void> {
  await page.keyboard.press("g")
  await page.keyboard.press(letter)
  await words(page, "h1").toBe(title)
}

/** The one field of the dialog that a key opened. */
async function answerBox(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key)
  await page.waitForSelector("dialog #asked:focus")
}

const wantsTag = (id: string) => ({
  action: "tag_memories",
  description: "Tag what is known about the sums",
  rationale: "It is easier to find then.",
  wait: true,
  context: { risks: ["The tag may be wrong."] },
  tool: "memory_tag",
  input: { id, add: ["arithmetic"] },
})

const wantsAdvice = {
  action: "rename_file",
  description: "Rename sum.mjs to add.mjs",
  rationale: "It adds.",
  wait: true,
  context: { risks: ["Whoever imports it has to follow."], planned_steps: ["Rename it", "Mend the imports"] },
}

// What follows the first test is about the page: decisions are tested on both databases elsewhere.
const createSqlite = async () => sqliteDatabase()

describe.skipIf(!hasBrowser)("A request of a real agent, by keyboard alone", () => {
  describeDatabases("is", (create) => {
    test("approved after its diff and its risks were read; the branch is pushed and the page says so", async () => {
      const { page, faults, project, request } = await openAsking(create, browser, playFixer)
      await goTo(page, "i", "Inbox")
      await words(page).toMatch(/Add instead of subtracting[\s\S]*Risks[\s\S]*rely on the wrong sum/)
      const diff = await page.locator(".diff").textContent()
      expect(diff).toContain(`-${wrongLine}`)
      expect(diff).toContain(`+${rightLine}`)
      expect(await seriousFaults(page)).toEqual([])
      expect(project.pushed()).toEqual([])
      await page.keyboard.press("a")
      await words(page, ".toasts").toMatch(/Approved/)
      await words(page).toMatch(
        /Nothing waits for you[\s\S]*Decided lately[\s\S]*Done: Pushed ambient\/fix-the-sum-\w+ to origin/,
      )
      const { state, call, decision } = await request()
      expect([state, decision?.from]).toEqual(["done", "web"])
      expect(project.pushed()).toEqual([call?.input.branch])
      expect(await seriousFaults(page)).toEqual([])
      expect(faults).toEqual({ console: [], outside: [] })
    })
  })

  describe("is", () => {
    test("denied with a reason; nothing is pushed, what was prepared goes, and the next cycle knows", async () => {
      const { page, faults, project, request, nextCycle, prompt } = await openAsking(
        createSqlite,
        browser,
        playFixer,
      )
      await goTo(page, "i", "Inbox")
      await words(page).toMatch(/Add instead of subtracting/)
      await answerBox(page, "d")
      await page.keyboard.type("I mend this one myself.")
      await page.keyboard.press("Enter")
      await words(page).toMatch(/Decided lately[\s\S]*You denied it: I mend this one myself\./)
      await expect.poll(() => project.worktrees(), patiently).toEqual([])
      expect([(await request()).state, project.pushed()]).toEqual(["denied", []])
      await nextCycle()
      expect(prompt()).toContain("I mend this one myself.")
      expect(faults).toEqual({ console: [], outside: [] })
    })

    test("edited and approved; what the person wrote runs, once, and not what was asked for", async () => {
      const { page, faults, client, memory, request } = await openAsking(
        createSqlite,
        browser,
        (server, id) => playAsker(server, wantsTag(id)),
      )
      await goTo(page, "i", "Inbox")
      await words(page).toMatch(/Tag what is known[\s\S]*The tag may be wrong/)
      await answerBox(page, "e")
      await page.keyboard.press("Control+a")
      await page.keyboard.type('{ "id": 7 }')
      await page.keyboard.press("Control+Enter")
      await words(page, "dialog [role=alert]").toMatch(/id/)
      expect((await request()).state).toBe("pending")
      await page.keyboard.press("Control+a")
      await page.keyboard.type(JSON.stringify({ id: memory, add: ["sums-by-hand"] }))
      await page.keyboard.press("Control+Enter")
      await words(page).toMatch(/Decided lately[\s\S]*Done[\s\S]*as you edited it/)
      expect((await client.show(memory)).tags).toEqual(["sums-by-hand"])
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await words(page).toMatch(/Exactly this ran[\s\S]*sums-by-hand/)
      expect(faults.console.filter((line) => !/400/.test(line))).toEqual([])
    })

    test("answered; what the person wrote waits in the queue, and the next cycle reads it", async () => {
      const { page, faults, request, nextCycle, prompt } = await openAsking(createSqlite, browser, (server) =>
        playAsker(server, wantsAdvice),
      )
      await goTo(page, "i", "Inbox")
      await words(page).toMatch(/Rename sum\.mjs[\s\S]*has to follow[\s\S]*Mend the imports/)
      await answerBox(page, "r")
      await page.keyboard.type("Keep the name. Call it total.mjs next year.")
      await page.keyboard.press("Control+Enter")
      await words(page).toMatch(/Decided lately[\s\S]*You answered: Keep the name\./)
      expect((await request()).state).toBe("answered")
      await goTo(page, "q", "Queue")
      await words(page).toMatch(/person's decision[\s\S]*Keep the name\. Call it total\.mjs next year\./)
      await nextCycle()
      expect(prompt()).toContain("Keep the name. Call it total.mjs next year.")
      await goTo(page, "y", "Cycles")
      await expect.poll(() => page.locator("[data-row]").count(), patiently).toBeGreaterThan(1)
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await words(page).toMatch(/Transcript[\s\S]*Keep the name\. Call it total\.mjs next year\./)
      expect(faults).toEqual({ console: [], outside: [] })
    })
  })
})
