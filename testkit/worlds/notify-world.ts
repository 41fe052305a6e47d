import { onTestFinished } from "vitest"
import type { z } from "zod"
import { startNotifying } from "../../src/activities/notifying.ts"
import { beginCycle, emptyReceipt, endCycle } from "../../src/attention/cycles.ts"
import { openLog } from "../../src/base/log.ts"
import { newId } from "../../src/base/random.ts"
import { readEnvironment } from "../../src/config/environment.ts"
import { configSchema } from "../../src/config/schema.ts"
import type { Notifier } from "../../src/safety/notify/notice.ts"
import { openNotifiers, peopleWhoDecide } from "../../src/safety/notify/open-notifiers.ts"
import { interruptedNotices, journalPosition } from "../../src/safety/notify/outbox.ts"
import { openApprovals } from "../../src/safety/permission/approvals.ts"
import { contextSchema, type NewRequest } from "../../src/safety/permission/request.ts"
import { addRequest, decideRequest, findRequest } from "../../src/safety/permission/requests.ts"
import { approvalKey } from "../../src/safety/permission/token.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { createManualClock } from "../manual-clock.ts"
import { createSeededRandom } from "../seeded-random.ts"
import type { TestDatabase } from "../setup/databases.ts"

const install = "install_test"
const token = "a secret of this installation, of forty letters"

/** What has not happened by then does not happen. */
const mostTurns = 3000

interface Options {
  notify?: z.input<typeof configSchema>["notify"]
  env?: Record<string, string>
  /** Channels of the test's own, beside those of the configuration. */
  notifiers?: Notifier[]
  start?: number
  credentialsFile?: string
  platform?: NodeJS.Platform
}

type Asked = Omit<Partial<NewRequest>, "context"> & { context?: z.input<typeof contextSchema> }

/** Requests, notices, links and codes on a test database, with a clock that stands still. */
export async function openNotifyWorld(store: TestDatabase, options: Options = {}) {
  const clock = createManualClock(options.start)
  const random = createSeededRandom(1)
  const db = await store.open({ clock, random, install })
  const config = configSchema.parse({ notify: options.notify ?? {} })
  const env = readEnvironment({ HOME: "/nowhere", ...options.env })
  const logged: string[] = []
  const log = openLog({ clock, level: "debug", write: (line) => logged.push(line) })
  const key = approvalKey({ install, token })
  const opened = openNotifiers({
    clock,
    env,
    config,
    fetch,
    credentialsFile: options.credentialsFile ?? "/nowhere/credentials.json",
    platform: options.platform ?? "linux",
  })
  const notifiers = [...opened.notifiers, ...(options.notifiers ?? [])]
  const needs = { db, clock, random, log, install, config, key, notifiers: () => notifiers }
  const by = () => ({ operation: newId(random, "op"), actor: "test" })
  const mayDecide = (who: string) => peopleWhoDecide(config).has(who)
  let stop: (() => Promise<void>) | undefined
  onTestFinished(async () => stop?.())
  const journal = async (kind: string) => readJournal(db, { kind })
  return {
    ...needs,
    logged,
    problems: opened.problems,
    by,
    journal,
    approvals: openApprovals({ ...needs, mayDecide, redact: async (text) => text }),
    /** Begins to listen; the first time, what was asked before is not told. */
    async start() {
      stop = startNotifying(needs)
      while ((await journalPosition(db, install)) === undefined)
        await new Promise((resolve) => setImmediate(resolve))
    },
    async stop() {
      await stop?.()
      stop = undefined
    },
    /** Asks for permission as an agent does. */
    ask(asked: Asked = {}) {
      const request: NewRequest = {
        askedBy: "cycle_1",
        project: null,
        action: "push_branch",
        description: "Push the branch ambient/fix-clock",
        rationale: "The test was red",
        urgency: "normal",
        wait: true,
        call: { tool: "push", input: { branch: "ambient/fix-clock" } },
        expiresAt: clock.now() + 72 * 3_600_000,
        ...asked,
        context: contextSchema.parse(asked.context ?? { risks: ["others see the branch"] }),
      }
      return db.write((transaction) =>
        addRequest(transaction, { install, random, now: clock.now() }, request, by()),
      )
    },
    async decide(id: string, kind: "approve" | "deny") {
      const request = await findRequest(db, install, id)
      const about = { id, digest: request?.digest ?? "", now: clock.now() }
      return db.write((transaction) =>
        decideRequest(transaction, about, { kind }, { who: "owner", from: "cli" }, by()),
      )
    },
    /** Lets a cycle begin and end. */
    async cycle(summary: string) {
      const where = { install, random, now: clock.now() }
      await db.write(async (transaction) => {
        const { id } = await beginCycle(transaction, where, { trigger: "manual", items: [] }, by())
        const ended = { status: "complete" as const, summary, receipt: emptyReceipt() }
        await endCycle(transaction, { id, now: clock.now() }, ended, by())
      })
    },
    request: async (id: string) => findRequest(db, install, id),
    /** Lets time go by, as much at each turn but none while a notice is being sent, until so many entries of a kind are there. */
    async passUntil(kind: string, entries = 1, stepMs = 1000) {
      for (let turns = 0; turns < mostTurns; ) {
        const found = await journal(kind)
        if (found.length >= entries) return found
        const isSending = (await interruptedNotices(db, install)).length > 0
        await clock.advance(isSending ? 0 : stepMs)
        if (!isSending) turns += 1
        await new Promise((resolve) => setImmediate(resolve))
      }
      const kinds = (await readJournal(db, {})).map((entry) => entry.kind)
      throw new Error(`no ${entries} ${kind} came: ${kinds.join(", ")}; ${logged.join(" ")}`)
    },
  }
}
