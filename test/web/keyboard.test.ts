import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sqliteDatabase } from "../../testkit/setup/databases.ts"
import { hasBrowser, startBrowser } from "../../testkit/web/browser.ts"
import { openDashboard } from "../../testkit/web/dashboard.ts"

/** The machine may be busy. */
const patiently = { timeout: 15_000 }

let browser: Browser
beforeAll(async () => {
  if (hasBrowser) browser = await startBrowser()
})
afterAll(async () => browser?.close())

const words = (page: Page, selector = "main") =>
  expect.poll(() => page.locator(selector).first().textContent(), { timeout: 15_000 })

/** Presses a key until something comes of it: a page that is being drawn anew may not listen yet. */
async function pressFor(page: Page, key: string, selector: string): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.keyboard.press(key)
        return page.waitForSelector(selector, { timeout: 3000 }).then(
          () => true,
          () => false,
        )
      },
      { timeout: 25_000 },
    )
    .toBe(true)
}

// The API behind each key is tested on both databases elsewhere: what is asked here is what the page does with it.
const create = async () => sqliteDatabase()

describe.skipIf(!hasBrowser)("By keyboard alone", () => {
  test("searches, opens a memory, forgets it and takes that back", async () => {
    const { open, client, life } = await openDashboard(create)
    const { page, faults } = await open(browser)
    await pressFor(page, "/", "#search:focus")
    await page.keyboard.type("staging port 5433")
    await page.waitForSelector("[data-query='staging port 5433'] .hit")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await words(page, "h1").toMatch(/port 5433/)
    await page.keyboard.press("f")
    await words(page).toMatch(/forgotten/)
    await expect.poll(async () => (await client.show(life.told)).status, patiently).toBe("forgotten")
    await words(page, ".toasts").toMatch(/Forgotten/)
    await page.keyboard.press("z")
    await expect.poll(async () => (await client.show(life.told)).status, patiently).toBe("active")
    await words(page, ".toasts").toMatch(/Undone/)
    await pressFor(page, "e", "dialog textarea")
    await page.keyboard.press("End")
    await page.keyboard.type(" Ask Mira.")
    await page.keyboard.press("Control+Enter")
    await expect.poll(async () => (await client.show(life.told)).content, patiently).toContain("Ask Mira.")
    await page.waitForSelector("dialog", { state: "detached" })
    await pressFor(page, "t", "dialog input")
    await page.keyboard.type(" ports")
    await page.keyboard.press("Enter")
    await expect
      .poll(async () => (await client.show(life.told)).tags, patiently)
      .toEqual(["ports", "staging"])
    await page.waitForSelector("dialog", { state: "detached" })
    await page.keyboard.press("+")
    await expect.poll(async () => (await client.show(life.told)).details.helpful, patiently).toBe(2)
    expect(faults.console).toEqual([])
  })

  test("leaves the search field with Escape, once it is empty, and acts by single keys again", async () => {
    const { open } = await openDashboard(create)
    const { page, faults } = await open(browser)
    await pressFor(page, "/", "#search:focus")
    await page.keyboard.type("Tuesdays")
    await page.waitForSelector("[data-query='Tuesdays'] .hit")
    await page.keyboard.press("Escape")
    await page.waitForSelector("[data-query]", { state: "detached" })
    expect(await page.locator("#search:focus").count()).toBe(1)
    await page.keyboard.press("Escape")
    await page.keyboard.press("g")
    await page.keyboard.press("i")
    await words(page, "h1").toMatch(/Inbox/)
    expect(faults.console).toEqual([])
  })

  test("goes to all memories and back to a search; the field and the list follow", async () => {
    const { open } = await openDashboard(create)
    const { page, faults } = await open(browser)
    await pressFor(page, "/", "#search:focus")
    await page.keyboard.type("Tuesdays")
    await page.waitForSelector("[data-query='Tuesdays'] .hit")
    await page.locator("nav a[href='/memory']").click()
    await page.waitForSelector("[data-query]", { state: "detached" })
    expect(await page.inputValue("#search")).toBe("")
    await page.goBack()
    await page.waitForSelector("[data-query='Tuesdays'] .hit")
    expect(await page.inputValue("#search")).toBe("Tuesdays")
    expect(faults.console).toEqual([])
  })

  test("adds a memory, and is told what it replaces or may replace", async () => {
    const { open } = await openDashboard(create)
    const { page, faults } = await open(browser)
    const add = async (text: string) => {
      await pressFor(page, "/", "#search:focus")
      await page.locator("button", { hasText: "Add a memory" }).click()
      await page.waitForSelector("dialog textarea")
      await page.keyboard.type(text)
      await page.keyboard.press("Control+Enter")
      await page.waitForSelector("dialog", { state: "detached" })
    }
    await add("The smoke test listens on port 7001")
    await words(page, ".toasts").toMatch(/Saved\./)
    await add("The smoke test listens on port 7002")
    await words(page, ".toasts").toMatch(/It replaces an older memory/)
    // Words alone suspect nothing: the answer is what the trained model would make of it.
    await page.route("**/v1/memories", async (route) => {
      const response = await route.fetch()
      const mayReplace = [
        { id: "m_1", content: "Our CI is GitHub Actions", createdAt: "2026-01-01T00:00:00Z" },
      ]
      await route.fulfill({ response, json: { ...(await response.json()), mayReplace } })
    })
    await add("CI runs on Buildkite")
    await words(page, ".toasts").toMatch(/It may replace “Our CI is GitHub Actions”: decide under Conflicts/)
    expect(faults.console).toEqual([])
  })

  test("resolves an update with one key, and takes that back", async () => {
    const { open, client, life } = await openDashboard(create)
    const [newer, older] = life.conflict
    const { page, faults } = await open(browser)
    await page.keyboard.press("g")
    await page.keyboard.press("c")
    await page.waitForSelector(".versus")
    await page.keyboard.press("1")
    await expect.poll(async () => (await client.show(older)).supersededBy, patiently).toBe(newer)
    await words(page, ".toasts").toMatch(/Kept the newer one/)
    await words(page, ".pair").not.toMatch(/Tuesdays/)
    await page.keyboard.press("z")
    await expect.poll(async () => (await client.show(older)).status, patiently).toBe("active")
    await page.waitForSelector(".versus :text('Tuesdays')")
    await page.keyboard.press("b")
    await expect
      .poll(async () => (await client.conflicts({ allProjects: "true" })).conflicts, patiently)
      .toEqual([])
    expect((await client.show(older)).status).toBe("active")
    expect(faults.console).toEqual([])
  })

  test("settles a contradiction on the memory's own page, and takes that back", async () => {
    const { open, client, life } = await openDashboard(create)
    const [newer, older] = life.conflict
    const { page, faults } = await open(browser)
    await pressFor(page, "/", "#search:focus")
    await page.keyboard.type("Tuesdays")
    await page.waitForSelector("[data-query='Tuesdays'] .hit")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.waitForSelector(".versus")
    await page.keyboard.press("1")
    await expect.poll(async () => (await client.show(older)).supersededBy, patiently).toBe(newer)
    await page.waitForSelector(".versus", { state: "detached" })
    await page.keyboard.press("z")
    await expect.poll(async () => (await client.show(older)).status, patiently).toBe("active")
    await page.waitForSelector(".versus")
    expect(faults.console).toEqual([])
  })

  test("settles a duplicate that a cycle left open; both stay, or one replaces the other", async () => {
    const { open, client, life } = await openDashboard(create)
    const [newer, older] = life.duplicate
    const openPairs = async () =>
      (await client.duplicates()).duplicates.map(({ memories }) => memories.map(({ id }) => id))
    expect(await openPairs()).toEqual([[newer, older]])
    const { page, faults } = await open(browser)
    await page.keyboard.press("g")
    await page.keyboard.press("c")
    await page.waitForSelector(".versus")
    await page.keyboard.press("s")
    await words(page, ".pair").toMatch(/duplicate[\s\S]*may say the same/)
    await page.keyboard.press("b")
    await words(page, ".toasts").toMatch(/Both stay/)
    await expect.poll(openPairs, patiently).toEqual([])
    await page.keyboard.press("z")
    await expect.poll(openPairs, patiently).toEqual([[newer, older]])
    await words(page, ".pair").toMatch(/duplicate/)
    await page.keyboard.press("2")
    await expect.poll(async () => (await client.show(newer)).supersededBy, patiently).toBe(older)
    expect(faults.console).toEqual([])
  })

  test("asks again about a pair whose decision is taken back before the list is read anew", async () => {
    const { open, client, life } = await openDashboard(create)
    const { page } = await open(browser)
    await page.keyboard.press("g")
    await page.keyboard.press("c")
    await page.waitForSelector(".versus")
    await page.keyboard.press("s")
    await words(page, ".pair").toMatch(/duplicate/)
    // The list answers only after both the decision and its undoing are through.
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route("**/duplicates*", async (route) => {
      await held
      await route.continue()
    })
    await page.keyboard.press("b")
    await words(page, ".toasts").toMatch(/Both stay/)
    await page.keyboard.press("z")
    await words(page, ".toasts").toMatch(/Undone/)
    letGo()
    await words(page, ".pair").toMatch(/duplicate/)
    expect((await client.show(life.duplicate[0])).status).toBe("active")
  })

  test("decides a request in the inbox, and answers one", async () => {
    const { open, client, life } = await openDashboard(create)
    const { page, faults } = await open(browser)
    await page.keyboard.press("g")
    await page.keyboard.press("i")
    await words(page).toMatch(/fix\/upload-test/)
    await pressFor(page, "r", "dialog textarea")
    await page.keyboard.type("Squash it first.")
    await page.keyboard.press("Escape")
    await page.waitForSelector("dialog", { state: "detached" })
    expect((await client.request(life.request)).state).toBe("pending")
    await pressFor(page, "d", "dialog input")
    await page.keyboard.type("Not before the release.")
    await page.keyboard.press("Enter")
    await expect
      .poll(async () => await client.request(life.request), patiently)
      .toMatchObject({ state: "denied", decision: { from: "web", text: "Not before the release." } })
    await words(page).toMatch(/Nothing waits for you|denied/)
    expect(faults.console).toEqual([])
  })

  test("finds pages, acts and memories by the palette", async () => {
    const { open } = await openDashboard(create)
    const { page, faults } = await open(browser)
    await pressFor(page, "Control+k", ".palette input:focus")
    await page.keyboard.type("settings")
    await page.keyboard.press("Enter")
    await words(page, "h1").toBe("Settings")
    await page.keyboard.press("Control+k")
    await page.keyboard.type("billing reviews")
    await page.waitForSelector(".palette-list :text('Mira reviews')")
    await page.keyboard.press("Enter")
    await words(page, "h1").toMatch(/Mira reviews/)
    await page.keyboard.press("Control+k")
    await page.keyboard.type("dark and light")
    await page.keyboard.press("Enter")
    await expect.poll(() => page.getAttribute("html", "data-theme"), patiently).toBe("light")
    expect(faults.console).toEqual([])
  })
})
