import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sqliteDatabase } from "../../testkit/setup/databases.ts"
import { hasBrowser, startBrowser } from "../../testkit/web/browser.ts"
import { openDashboard } from "../../testkit/web/dashboard.ts"
import { memoryLines } from "../../testkit/web/many-memories.ts"

/** The machine may be busy. */
const patiently = { timeout: 30_000 }

let browser: Browser
beforeAll(async () => {
  if (hasBrowser) browser = await startBrowser()
})
afterAll(async () => browser?.close())

/** Opens the graph and moves the camera to the memory about the staging port; gives where that is on the screen. */
async function lookAtPort(page: Page, address: string): Promise<{ x: number; y: number }> {
  await page.goto(`${address}/graph`)
  await page.waitForSelector("[data-settled]", patiently)
  await page.getByLabel("Find in the graph").fill("port 5433")
  await expect.poll(() => page.locator(".graph-find").textContent(), patiently).toMatch(/match/)
  const box = await page.locator(".graph-canvas").boundingBox()
  if (box === null) throw new Error("the graph is not on the screen")
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Clicks until the panel of a memory opens: what is drawn anew may still move. */
async function clickFor(page: Page, { x, y }: { x: number; y: number }, words: RegExp): Promise<void> {
  await expect
    .poll(async () => {
      await page.mouse.click(x, y)
      // Two quick clicks would zoom.
      await page.waitForTimeout(400)
      const panel = page.locator(".graph-panel")
      return (await panel.count()) === 0 ? "" : panel.textContent()
    }, patiently)
    .toMatch(words)
}

async function dragFrom(page: Page, { x, y }: { x: number; y: number }, by: { x: number; y: number }) {
  await page.mouse.move(x, y)
  await page.mouse.down()
  for (let step = 1; step <= 10; step += 1)
    await page.mouse.move(x + (by.x * step) / 10, y + (by.y * step) / 10)
  await page.mouse.up()
}

describe.skipIf(!hasBrowser)("The graph", () => {
  for (const more of [0, 2500])
    test(`is dragged with ${21 + more} memories: what was under the hand stays there, and nothing is chosen`, async () => {
      const { open, client, address } = await openDashboard(async () => sqliteDatabase())
      if (more > 0) {
        const encoder = new TextEncoder()
        const body = ReadableStream.from([...memoryLines(more)].map((line) => encoder.encode(line)))
        await client.import({ body, verbatim: true, format: "jsonl", onProgress: () => undefined })
      }
      const { page, faults } = await open(browser)
      const centre = await lookAtPort(page, address)
      await clickFor(page, centre, /port 5433/)
      await page.getByRole("button", { name: "Close" }).click()
      const by = { x: 140, y: -90 }
      await dragFrom(page, centre, by)
      await expect
        .poll(() => page.locator(".graph-canvas").getAttribute("style"), patiently)
        .not.toMatch(/translate/)
      await expect.poll(() => page.locator(".graph-canvas[data-shifted]").count(), patiently).toBe(0)
      expect(await page.locator(".graph-panel").count()).toBe(0)
      await clickFor(page, { x: centre.x + by.x, y: centre.y + by.y }, /port 5433/)
      expect(faults).toEqual({ console: [], outside: [] })
    })
})
