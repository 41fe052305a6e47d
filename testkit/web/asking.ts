import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { expect, onTestFinished } from "vitest"
import type { RequestJson } from "../../src/api/contract/tending-answers.ts"
import { letTimePass, withStore } from "../crash/kill-tending.ts"
import type { ModelRequest } from "../model-server/asked.ts"
import type { ModelServer } from "../model-server/model-server.ts"
import { serveModel } from "../model-server/serve-model.ts"
import { createPlainInstallation } from "../program/program.ts"
import type { CreateDatabase } from "../setup/databases.ts"
import { createFailingProject } from "../work/failing-project.ts"
import { finishes } from "../worlds/tend-world.ts"
import { openPage } from "./browser.ts"

const patiently = { timeout: 20_000 }

function configFor({ url }: ModelServer): string {
  return `[embedding]
model = "none"

[api]
port = 0

[sessions]
enabled = false

[models]
provider = "local"
local_url = "${url}/v1"
local_model = "gardener"

[notify]
desktop = "off"
`
}

/** A real daemon whose agent has asked for something, the project it works on, and the browser of the person it asks. */
export async function openAsking(
  create: CreateDatabase,
  browser: Browser,
  play: (server: ModelServer, memory: string) => void,
) {
  const project = createFailingProject()
  const server = await serveModel()
  const { url } = await create()
  const installation = createPlainInstallation({ databaseUrl: url })
  writeFileSync(join(installation.home, "config.toml"), configFor(server), { mode: 0o600 })
  const text = "The sums live in sum.mjs."
  const known = await installation.json<{ id: string }>("memory", "add", text, "--project", project.root)
  play(server, known.id)
  await installation.run("trust", "work")
  const { client } = await installation.daemonHere()
  await client.queueAdd({ context: "Look at the sums." })
  await client.wake()
  const { id } = await firstRequest(client)
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: "dark" })
  onTestFinished(() => context.close())
  const { page, faults } = await openPage(context)
  await page.goto((await client.webLink()).url)
  await page.waitForSelector("h1")
  return {
    page,
    faults,
    project,
    client,
    /** The one memory that there is. */
    memory: known.id,
    request: () => client.request(id),
    /** What the agent was told at the beginning of its last cycle. */
    prompt: () => JSON.stringify(server.requests.at(-1)?.asked.messages[0] ?? ""),
    /** Has the next cycle, an hour later as far as the budget knows. */
    async nextCycle() {
      // Whoever wakes it while the first one still runs would get no other.
      await expect
        .poll(async () => (await client.cycles({})).cycles.every(({ endedAt }) => endedAt), patiently)
        .toBe(true)
      await withStore({ url }, letTimePass)
      await installation.run("wake", "--wait")
    },
  }
}

/** The first thing that it asks for, once it has. */
async function firstRequest(client: {
  inbox(query: object): Promise<{ requests: RequestJson[] }>
}): Promise<RequestJson> {
  for (;;) {
    const [request] = (await client.inbox({ all: "true" })).requests
    if (request !== undefined) return request
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Has the scripted model ask for something once, and do nothing else in this cycle and all later ones. */
export function playAsker(server: ModelServer, wanted: object): void {
  server.always((request: ModelRequest) => {
    const said = JSON.stringify(request.asked.messages)
    if (/Asked as ask_|Reverie asked|person's decision/.test(said)) return finishes("Seen to.")(request)
    return { calls: [{ name: "request_permission", input: wanted }] }
  })
}
