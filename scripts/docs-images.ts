// npm run docs:images: draws docs/images anew, from a sample life in a throwaway home.
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { type Client, createClient } from "../src/api/client.ts"
import { socketFetch } from "../src/api/socket-fetch.ts"
import { systemClock } from "../src/base/clock.ts"
import { silentLog } from "../src/base/log.ts"
import { systemRandom } from "../src/base/random.ts"
import { readEnvironment } from "../src/config/environment.ts"
import { pathsFor } from "../src/config/paths.ts"
import type { Database } from "../src/storage/database.ts"
import { openDatabase } from "../src/storage/open-database.ts"
import { startBrowser } from "../testkit/web/browser.ts"
import { gatherByTopic, memoryLines } from "../testkit/web/many-memories.ts"
import { installOf, liveSampleLife, type SampleLife } from "../testkit/web/sample-life.ts"

const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const folder = process.argv[2] ?? here("docs/images")
const only = process.argv[3]

interface Shot {
  name: string
  path: string
  theme?: "dark" | "light"
  size?: { width: number; height: number }
  /** Some hundred memories more come first: a graph of twenty shows little. */
  isLarge?: boolean
  before?(page: Page): Promise<void>
}

const desk = { width: 1280, height: 860 }
const phone = { width: 390, height: 844 }

function shots({ told, cycle, session, request }: SampleLife): Shot[] {
  const search = async (page: Page) => {
    await page.waitForSelector(".hit")
  }
  const graph = async (page: Page) => {
    await page.waitForSelector("[data-drawn]")
    await page.waitForSelector("[data-settled]")
    await page.waitForTimeout(500)
  }
  return [
    { name: "today", path: "/" },
    { name: "today-light", path: "/", theme: "light" },
    { name: "today-phone", path: "/", size: phone },
    { name: "search", path: "/memory?q=which%20port%20does%20staging%20use", before: search },
    { name: "memory", path: `/memory/${told}`, size: { width: 1280, height: 1250 } },
    { name: "memory-light", path: `/memory/${told}`, theme: "light" },
    { name: "memory-phone", path: `/memory/${told}`, size: phone },
    { name: "conflicts", path: "/conflicts" },
    { name: "inbox", path: `/inbox/${request}`, size: { width: 1280, height: 1100 } },
    { name: "cycle", path: `/cycles/${cycle}` },
    { name: "session", path: `/sessions/${encodeURIComponent(session)}` },
    { name: "queue", path: "/queue" },
    { name: "usage", path: "/usage" },
    { name: "journal", path: "/journal" },
    { name: "settings", path: "/settings" },
    { name: "chat", path: "/chat" },
    { name: "doctor", path: "/doctor", theme: "light" },
    { name: "palette", path: "/", before: openPalette },
    { name: "graph", path: "/graph", isLarge: true, before: graph },
    { name: "graph-light", path: "/graph", theme: "light", before: graph },
  ]
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k")
  await page.keyboard.type("stag")
  await page.waitForTimeout(600)
}

const home = mkdtempSync(join(tmpdir(), "reverie-images-"))
const env = {
  ...process.env,
  REVERIE_HOME: home,
  REVERIE_DATABASE_URL: "",
  REVERIE_MODELS: here("node_modules/.cache/models"),
}
for (const name of [
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "GEMINI_CLI_HOME",
  "PI_CODING_AGENT_DIR",
  "JCODE_HOME",
  "XDG_DATA_HOME",
])
  Object.assign(env, { [name]: join(home, "nowhere") })
writeFileSync(
  join(home, "config.toml"),
  '[api]\nport = 0\n\n[models]\nprovider = "none"\n\n[extraction]\nenabled = false\n\n[memory]\norganise_every_minutes = 0\n',
  { mode: 0o600 },
)
const daemon = spawn(here("bin/reverie"), ["start", "--foreground"], {
  env,
  stdio: ["ignore", "ignore", "pipe"],
})
try {
  await new Promise<void>((resolve, reject) => {
    daemon.stderr.on("data", (chunk) => String(chunk).includes("Ctrl-C") && resolve())
    daemon.on("close", () => reject(new Error("the daemon ended")))
  })
  await draw()
} finally {
  daemon.kill("SIGKILL")
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}

async function draw(): Promise<void> {
  const paths = pathsFor(readEnvironment(env))
  const client = createClient({ fetch: socketFetch(paths.socket), random: systemRandom, actor: "cli" })
  const common = { clock: systemClock, random: systemRandom, log: silentLog }
  const db = await openDatabase({ ...common, url: "", file: paths.databaseFile })
  const life = await liveSampleLife({ client, db, install: installOf(paths.installFile), now: Date.now() })
  await client.refreshClusters({ allProjects: true }).catch(() => undefined)
  const browser = await startBrowser()
  mkdirSync(folder, { recursive: true })
  const context = await browser.newContext({
    viewport: desk,
    deviceScaleFactor: 1,
    reducedMotion: "reduce",
  })
  const page = await context.newPage()
  const { url, address } = await client.webLink()
  await page.goto(url)
  await page.waitForSelector("h1")
  const wanted = shots(life).filter(({ name }) => only === undefined || name.startsWith(only))
  for (const shot of wanted) {
    if (shot.isLarge === true) await growLarge(client, db)
    await page.setViewportSize(shot.size ?? desk)
    await page.emulateMedia({ colorScheme: shot.theme ?? "dark" })
    await page.goto(address + shot.path)
    await page.waitForSelector("h1")
    await page.waitForTimeout(500)
    await shot.before?.(page)
    await page.screenshot({ path: join(folder, `${shot.name}.png`) })
    console.log(shot.name, readFileSync(join(folder, `${shot.name}.png`)).length)
  }
  await browser.close()
  await db.close()
}

async function growLarge(client: Client, db: Database): Promise<void> {
  const lines = new Blob([...memoryLines(640)]).stream()
  await client.import({ body: lines, verbatim: true, format: "jsonl", onProgress: () => undefined })
  await gatherByTopic(db, Date.now())
}
