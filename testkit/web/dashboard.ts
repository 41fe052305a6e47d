import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { onTestFinished } from "vitest"
import type { Client } from "../../src/api/client.ts"
import { createPlainInstallation, type Installation } from "../program/program.ts"
import type { CreateDatabase } from "../setup/databases.ts"
import { type Faults, openPage } from "./browser.ts"
import { installOf, liveSampleLife, type SampleLife } from "./sample-life.ts"

/** Words alone, a free port, no model, and nothing that begins by itself: what is shown is what was put there. */
const config = `[embedding]
model = "none"

[api]
port = 0

[models]
provider = "none"

[ambient]
enabled = false

[extraction]
enabled = false
`

/** A real daemon with a sample life in it. */
export interface Dashboard {
  installation: Installation
  client: Client
  /** Where the daemon answers over loopback. */
  address: string
  life: SampleLife
  /** A page of a browser that was signed in by a link, as `reverie web` gives it. */
  open(browser: Browser, options?: PageOptions): Promise<{ page: Page; faults: Faults }>
}

interface PageOptions {
  colorScheme?: "dark" | "light"
  viewport?: { width: number; height: number }
}

/** Starts a daemon on a database of the test, and lets it live for some weeks. */
export async function openDashboard(create: CreateDatabase): Promise<Dashboard> {
  const database = await create()
  const installation = createPlainInstallation({ databaseUrl: database.url })
  writeFileSync(join(installation.home, "config.toml"), config, { mode: 0o600 })
  const { client } = await installation.daemonHere()
  const db = await database.open()
  const install = installOf(installation.paths.installFile)
  const life = await liveSampleLife({ client, db, install, now: Date.now() })
  const { address } = await client.webLink()
  return {
    installation,
    client,
    address,
    life,
    async open(browser, options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        colorScheme: "dark",
        reducedMotion: "reduce",
        ...options,
      })
      onTestFinished(() => context.close())
      const opened = await openPage(context)
      await opened.page.goto((await client.webLink()).url)
      await opened.page.waitForSelector("h1")
      return opened
    },
  }
}
