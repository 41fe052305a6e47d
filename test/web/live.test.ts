import { readFileSync } from "node:fs"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { describeDatabases, sqliteDatabase } from "../../testkit/setup/databases.ts"
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

// What follows the first test is about what the page does: the API behind it is tested on both databases elsewhere.
const createSqlite = async () => sqliteDatabase()

/** What must be read on a page, as text. */
function shownOn(path: string): RegExp {
  if (path === "/queue") return /<script>window\.hacked = 1<\/script>[\s\S]*⟨U\+202E⟩/
  return /Hostile (?:one|two|three|four)/
}

describe.skipIf(!hasBrowser)("The dashboard", () => {
  describeDatabases("is alive", (create) => {
    test("what another process learns appears without a reload, on Today and in the journal", async () => {
      const { open, client, address, installation } = await openDashboard(create)
      const { page } = await open(browser)
      await words(page).toMatch(/Jonas is away/)
      await installation.run("add", "The lighthouse lamp was replaced in May", "--global")
      await words(page).toMatch(/lighthouse lamp/)
      await page.goto(`${address}/journal`)
      await words(page).toMatch(/A memory was saved by you, in a terminal/)
      await client.add({ content: "The foghorn is tested on Mondays" })
      await words(page, ".journal-row.new").toMatch(/saved[\s\S]*foghorn/)
      // The entry as it is stored is one toggle away.
      expect(await page.locator("main").textContent()).not.toContain('"operation"')
      await page.locator(".journal-row.new .raw summary").first().press("Enter")
      await words(page, ".journal-row.new .raw pre").toMatch(/"kind": "memory\.saved"[\s\S]*"operation"/)
    })
  })

  describe("is alive", () => {
    test("a cycle is taken back with one click", async () => {
      const { open, client, address, life } = await openDashboard(createSqlite)
      const { page, faults } = await open(browser)
      await page.goto(`${address}/cycles/${life.cycle}`)
      await page.getByRole("button", { name: /Undo all of it/ }).click()
      await expect.poll(async () => (await client.cycle(life.cycle)).verdict, patiently).toBe("undone")
      const { memories } = await client.list({ allProjects: "true", tag: "infra" })
      expect(memories).toEqual([])
      await words(page).toMatch(/undone/)
      // The keys of buttons that are off do nothing.
      const asked: string[] = []
      page.on("request", (request) => void (request.method() === "POST" && asked.push(request.url())))
      for (const key of ["u", "a", "?"]) await page.keyboard.press(key)
      await words(page, "dialog").toMatch(/undo the last change/)
      expect(asked).toEqual([])
      expect(faults.console).toEqual([])
    })

    test("what was taken for a secret is named in words, where it is refused and where it was taken out", async () => {
      const { open, address } = await openDashboard(createSqlite)
      const { page, faults } = await open(browser)
      const key = ["sk", "live", "4eC39HqLyjWDarjtT1zdp7dcQ2m"].join("_")
      await page.goto(`${address}/memory?add`)
      await page.locator("dialog textarea").fill(key)
      await page.keyboard.press("Control+Enter")
      await words(page, "dialog [role=alert]").toMatch(/Not saved: .*Stripe secret key/)
      await page
        .locator("dialog textarea")
        .fill(`Billing on staging charges test cards with ${key} every night.`)
      await page.keyboard.press("Control+Enter")
      await page.waitForSelector("dialog", { state: "detached" })
      await page.goto(`${address}/memory?q=billing%20charges%20test%20cards`)
      await words(page).toMatch(/charges test cards with \[Stripe secret key removed\] every night/)
      expect(await page.locator("main").textContent()).not.toMatch(/stripe-key|4eC39/)
      expect(faults.console).toEqual([])
    })

    test("a setting is written after its difference was shown, and its comment stays", async () => {
      const { open, address, installation } = await openDashboard(createSqlite)
      const { page, faults } = await open(browser)
      await page.goto(`${address}/settings`)
      await page.getByLabel("snapshots_kept").fill("12")
      await page.getByRole("button", { name: "Show the difference" }).click()
      await words(page, "dialog .diff").toContain("+snapshots_kept = 12")
      expect(readFileSync(installation.paths.configFile, "utf8")).not.toContain("snapshots_kept")
      await page.getByRole("button", { name: "Write it" }).click()
      await words(page).toMatch(/The daemon uses storage\.snapshots_kept after reverie restart/)
      expect(readFileSync(installation.paths.configFile, "utf8")).toContain("snapshots_kept = 12")
      await page.getByLabel("snapshots_kept").fill("many")
      await page.getByRole("button", { name: "Show the difference" }).click()
      await words(page, ".toasts").toMatch(/must be a whole number from 1 to 1000/)
      const message = await page.locator(".toast.bad").boundingBox()
      const bar = await page.locator(".sticky-foot").boundingBox()
      expect((message?.y ?? 0) + (message?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
      expect(faults.console.filter((line) => !/400/.test(line))).toEqual([])
    })
  })

  describe("trusts no text", () => {
    test("script tags, markup, turned and huge texts are shown as text, wherever they appear", async () => {
      const { open, client, address } = await openDashboard(createSqlite)
      const script = `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"><a href="javascript:hacked=1">x</a>`
      const hostile = [
        `Hostile one ${script}`,
        `Hostile two **bold** [link](javascript:alert(1)) <svg/onload=hacked=1> https://evil.example/pixel.png`,
        `Hostile three ${"a".repeat(9000)}`,
        `Hostile four ${"many words ".repeat(1500)}`,
      ]
      const ids: string[] = []
      for (const content of hostile) {
        const answer = await client.add({ content, verbatim: true, tags: ["<b>tag</b>"] })
        if (answer.outcome === "refused") throw new Error(answer.reason)
        ids.push(answer.id)
      }
      const [source = "", target = ""] = ids
      await client.link({ source, kind: "contradicts", target })
      await client.queueAdd({ context: `Queued ${script} \u202Edesrever` })
      const { page, faults } = await open(browser)
      const paths = [
        "/",
        "/memory",
        "/memory?q=hostile",
        "/graph",
        "/conflicts",
        "/queue",
        "/journal",
        ...ids.map((id) => `/memory/${id}`),
      ]
      for (const path of paths) {
        await page.goto(address + path)
        if (path !== "/graph") await words(page).toMatch(shownOn(path))
        else await page.waitForSelector("[data-drawn]")
        expect(await page.evaluate("'hacked' in window"), path).toBe(false)
        expect(await page.locator("main script, main img, main a[href^=javascript]").count(), path).toBe(0)
        const wide = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        expect(wide, `${path} is wider than the screen`).toBeLessThanOrEqual(0)
      }
      expect(faults).toEqual({ console: [], outside: [] })
    })
  })
})
