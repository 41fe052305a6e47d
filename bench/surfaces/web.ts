import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import type { Browser, Page } from "playwright-core"
import { type Client, createClient } from "../../src/api/client.ts"
import { socketFetch } from "../../src/api/socket-fetch.ts"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { systemRandom } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { pathsFor } from "../../src/config/paths.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { startBrowser } from "../../testkit/web/browser.ts"
import { gatherByTopic, memoryLines } from "../../testkit/web/many-memories.ts"
import { type Bench, type Figure, median, percentile } from "../shared/figures.ts"
import { temporaryFolder } from "../shared/stores.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))
const assets = fileURLToPath(new URL("../../dist/web/assets/", import.meta.url))

/** The dashboard in Debian's Chromium; WebGL is drawn by the processor here, so frames take longer than on a desk. */
export async function webFigures(bench: Bench): Promise<Figure[]> {
  const sizes = String(bench.options.sizes ?? "5000,50000")
    .split(",")
    .map(Number)
  const browser = await startBrowser()
  bench.atEnd(() => browser.close())
  const figures = bundleFigures()
  for (const size of sizes) figures.push(...(await figuresWith(bench, browser, size)))
  return figures
}

/** What a browser loads, gzipped; the graph comes only with its page. */
function bundleFigures(): Figure[] {
  const sizeOf = (pattern: RegExp) =>
    readdirSync(assets)
      .filter((name) => pattern.test(name))
      .reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name))).length, 0) / 1000
  const figure = (id: string, value: number): Figure => ({ id, value, unit: "kB", better: "lower" })
  return [
    figure("web.bundle.gzip", sizeOf(/^index-/)),
    figure("web.bundle.graph.gzip", sizeOf(/^(?:graph|layout-worker)-/)),
  ]
}

async function figuresWith(bench: Bench, browser: Browser, size: number): Promise<Figure[]> {
  bench.say(`filling a store with ${size} memories`)
  const { client, stop } = await startFilled(bench, size)
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } })
  const page = await context.newPage()
  const { url, address } = await client.webLink()
  await page.goto(url)
  await page.waitForSelector(".figures")
  bench.say(`looking at ${size} memories`)
  const ms = (id: string, value: number): Figure => ({
    id: `web.${size}.${id}`,
    value,
    unit: "ms",
    better: "lower",
  })
  const loads = await loadTimes(page, address)
  const searches = await searchTimes(page, address)
  const graph = await graphTimes(page, address, size)
  await context.close()
  await stop()
  return [
    ms("first-paint.median", median(loads.map(({ paint }) => paint))),
    ms("interactive.median", median(loads.map(({ ready }) => ready))),
    ms("search.median", median(searches)),
    ms("search.p95", percentile(searches, 0.95)),
    ms("graph.drawn", graph.drawn),
    ms("graph.pan.step.median", median(graph.steps)),
    ms("graph.pan.step.p95", percentile(graph.steps, 0.95)),
    ms("graph.pan.frame.median", median(graph.frames)),
    ms("graph.pan.frame.p95", percentile(graph.frames, 0.95)),
    ms("graph.pan.frame.longest", graph.longest),
  ]
}

/** A daemon of its own with so many memories in twelve clusters, found by words alone. */
async function startFilled(bench: Bench, size: number): Promise<{ client: Client; stop(): Promise<void> }> {
  const home = temporaryFolder(bench)
  const config = [
    "[embedding]",
    'model = "none"',
    "[api]",
    "port = 0",
    "[models]",
    'provider = "none"',
    "[ambient]",
  ]
  writeFileSync(join(home, "config.toml"), [...config, "enabled = false", ""].join("\n"), { mode: 0o600 })
  const env = { ...process.env, REVERIE_HOME: home, HOME: home, REVERIE_DATABASE_URL: "" }
  const daemon = spawn(program, ["start", "--foreground"], { env, stdio: ["ignore", "ignore", "pipe"] })
  bench.atEnd(() => void daemon.kill("SIGKILL"))
  await ready(daemon)
  const paths = pathsFor(readEnvironment(env))
  const client = createClient({ fetch: socketFetch(paths.socket), random: systemRandom, actor: "cli" })
  const body = ReadableStream.from(encoded(memoryLines(size)))
  await client.import({ body, verbatim: true, format: "jsonl", onProgress: () => undefined })
  const common = { clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openDatabase({ ...common, url: "", file: paths.databaseFile })
  await gatherByTopic(db, Date.now())
  await db.close()
  return { client, stop: async () => void daemon.kill("SIGTERM") }
}

function* encoded(lines: Iterable<string>): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const line of lines) yield encoder.encode(line)
}

function ready(daemon: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    daemon.once("close", () => reject(new Error("the daemon ended")))
    daemon.stderr?.on("data", (chunk) => String(chunk).includes("Ctrl-C") && resolve())
  })
}

const loadRounds = 5

/** From asking for the page to its first words, and to Today with all its data. */
async function loadTimes(page: Page, address: string): Promise<{ paint: number; ready: number }[]> {
  const times: { paint: number; ready: number }[] = []
  for (let round = 0; round < loadRounds; round += 1) {
    await page.goto(`${address}/`)
    await page.waitForSelector(".figures")
    const readyAt = await page.evaluate<number>("performance.now()")
    times.push({
      ready: readyAt,
      paint: await firstPaint(page),
    })
  }
  return times
}

/** When the first words were seen; the browser tells it a moment after. */
async function firstPaint(page: Page): Promise<number> {
  const read = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
  let at = await page.evaluate<number>(read)
  while (at === 0) at = await page.evaluate<number>(read)
  return at
}

const questions = [
  "tide table forecast",
  "invoice credit note",
  "vessel call sign",
  "flaky test fixture",
  "storm warning buoy",
]

/** From the last letter to what it finds, on the screen. */
async function searchTimes(page: Page, address: string): Promise<number[]> {
  const times: number[] = []
  await page.goto(`${address}/memory`)
  await page.waitForSelector("#search")
  for (const question of questions) {
    await page.fill("#search", question.slice(0, -1))
    await page.waitForSelector(`[data-query="${question.slice(0, -1)}"]`)
    const started = performance.now()
    await page.locator("#search").pressSequentially(question.slice(-1))
    await page.waitForSelector(`[data-query="${question}"]`)
    times.push(performance.now() - started)
  }
  return times
}

/**
 * How long until the whole graph is drawn, how long each step of a drag takes to be answered, and how long each frame.
 * Frames in which there was nothing to draw count too, so the steps say more about what is felt.
 */
async function graphTimes(
  page: Page,
  address: string,
  size: number,
): Promise<{ drawn: number; steps: number[]; frames: number[]; longest: number }> {
  await page.goto(`${address}/graph`)
  await page.waitForSelector("[data-drawn]", { timeout: 120_000 })
  const started = performance.now()
  if (size > 5000) {
    await page.getByRole("button", { name: "Draw all" }).click()
    await page.waitForSelector(`[data-drawn="${size}"]`, { timeout: 240_000 })
  }
  const drawn = size > 5000 ? performance.now() - started : await page.evaluate<number>("performance.now()")
  await page.waitForSelector("[data-settled]", { timeout: 120_000 })
  await page.evaluate(
    "window.frames_ = []; (function step(at) { window.frames_.push(at); requestAnimationFrame(step) })(performance.now())",
  )
  await page.mouse.move(500, 420)
  await page.mouse.down()
  const steps: number[] = []
  for (let step = 0; step < dragSteps; step += 1) {
    const began = performance.now()
    await page.mouse.move(500 + 4 * step, 420 + 2 * step)
    steps.push(performance.now() - began)
  }
  const dragged = await page.evaluate<number[]>("window.frames_")
  await page.mouse.up()
  // The picture that is drawn at the end is a frame too.
  await page.evaluate("new Promise((resolve) => setTimeout(resolve, 400))")
  const all = await page.evaluate<number[]>("window.frames_")
  return { drawn, steps, frames: gaps(dragged), longest: Math.max(...gaps(all)) }
}

/** So far that a part of the graph comes into view that was not drawn before. */
const dragSteps = 120

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? 0))
}
