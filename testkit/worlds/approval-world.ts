import { readFileSync, writeFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { join } from "node:path"
import { SMTPServer } from "smtp-server"
import { expect } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { newId, systemRandom } from "../../src/base/random.ts"
import { contextSchema, type NewRequest } from "../../src/safety/permission/request.ts"
import { addRequest, findRequest } from "../../src/safety/permission/requests.ts"
import { type ApprovalKey, approvalKey, issueToken } from "../../src/safety/permission/token.ts"
import type { Database } from "../../src/storage/database.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { serveDiscord } from "../discord/peer.ts"
import { createPlainInstallation } from "../program/program.ts"

/** The person who may decide, and the host that links lead to. */
export const ann = "ann@example.net"
export const linkHost = "reverie.example.net"

/** What the browser sends along with the form of a link's page. */
export const page = { origin: `https://${linkHost}`, "content-type": "application/x-www-form-urlencoded" }

/** A new operation of the test's. */
export const by = () => ({ operation: newId(systemRandom, "op"), actor: "test" })

interface Opened {
  discord: Awaited<ReturnType<typeof serveDiscord>>
  people: { ann: string; bot: string }
  door: { port: number; token: string; db: Database; install: string; key: ApprovalKey }
}

interface Granted {
  person?: string
  expiresAt?: number
}

/** A request to the daemon. */
export interface Sent {
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string
}

/**
 * One real daemon with a real mail server and a Discord of our own, once it is opened; requests are written as an agent's
 * dispatch writes them.
 */
export function approvalWorld() {
  const ends: (() => unknown)[] = []
  const letters: string[] = []
  let opened: Opened | undefined

  function world(): Opened {
    if (opened === undefined) throw new Error("the world of approvals is not open")
    return opened
  }
  const door = () => world().door

  async function open(): Promise<void> {
    const mail = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS", "AUTH"],
      onData(stream, _session, done) {
        let text = ""
        stream.on("data", (chunk) => {
          text += chunk
        })
        stream.on("end", () => {
          letters.push(text)
          done(null)
        })
      },
    })
    await new Promise<void>((resolve) => mail.listen(0, "127.0.0.1", resolve))
    ends.push(() => new Promise<void>((resolve) => mail.close(() => resolve())))
    const address = mail.server.address()
    const mailPort = typeof address === "object" && address !== null ? address.port : 0
    const discord = await serveDiscord()
    ends.push(discord.close)
    const people = { ann: discord.addUser("ann"), bot: discord.addUser("helper", { isBot: true }) }
    const installation = createPlainInstallation({
      onEnd: (work) => void ends.push(work),
      env: { REVERIE_DISCORD_TOKEN: discord.token },
    })
    writeFileSync(
      join(installation.home, "config.toml"),
      `[embedding]
  model = "none"
  [api]
  port = 0
  [ambient]
  enabled = false
  [notify]
  link_base = "https://${linkHost}"
  batch_seconds = 0
  min_urgency = "high"
  email_to = ["${ann}"]
  email_from = "reverie@example.net"
  email_host = "127.0.0.1"
  email_port = ${mailPort}
  email_tls = "none"
  chat_to = ["discord:${people.ann}", "discord:${people.bot}"]
  [chat.discord]
  enabled = true
  api_url = "${discord.apiUrl}"
  `,
    )
    const daemon = await installation.daemon()
    const isConnected = async () => (await daemon.client.chat()).chat?.channels[0]?.state === "connected"
    while (!(await isConnected())) await new Promise((resolve) => setTimeout(resolve, 20))
    const { daemon: info } = await daemon.client.status()
    if (!info.running) throw new Error("not running")
    const { token, id } = JSON.parse(readFileSync(installation.paths.installFile, "utf8"))
    const db = await openDatabase({
      url: "",
      file: installation.paths.databaseFile,
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      install: id,
    })
    ends.push(() => db.close())
    const key = approvalKey({ install: id, token })
    const port = Number(new URL(info.url ?? "").port)
    opened = { discord, people, door: { port, token, db, install: id, key } }
  }

  async function close(): Promise<void> {
    for (const work of ends.reverse()) await work()
  }

  let asked = 0
  async function ask(change: Partial<NewRequest> = {}) {
    asked += 1
    const request: NewRequest = {
      askedBy: "cycle_1",
      project: null,
      action: "push_branch",
      description: `Push branch number ${asked}`,
      rationale: "The test was red",
      urgency: "normal",
      wait: true,
      call: { tool: "push", input: { branch: `ambient/${asked}` } },
      context: contextSchema.parse({ risks: ["others see it"] }),
      expiresAt: Date.now() + 3_600_000,
      ...change,
    }
    const { db, install } = door()
    return db.write((transaction) =>
      addRequest(transaction, { install, random: systemRandom, now: Date.now() }, request, by()),
    )
  }

  async function link(
    request: { id: string; digest: string },
    { person = ann, expiresAt = Date.now() + 3_600_000 }: Granted = {},
  ) {
    const needs = { key: door().key, random: systemRandom }
    return door().db.write((transaction) => issueToken(transaction, needs, { request, person, expiresAt }))
  }

  const stateOf = async (id: string) => (await findRequest(door().db, door().install, id))?.state

  /** Asks the daemon over TCP without fetch, which would not let us lie. */
  function send({ method = "GET", path = "/", headers = {}, body }: Sent) {
    return new Promise<{ status: number; body: string; headers: Record<string, unknown> }>(
      (resolve, reject) => {
        const options = {
          host: "127.0.0.1",
          port: door().port,
          method,
          path,
          headers: { host: linkHost, ...headers },
        }
        const sent = httpRequest(options, (answer) => {
          let text = ""
          answer.on("data", (chunk) => {
            text += chunk
          })
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, body: text, headers: answer.headers }),
          )
        })
        sent.on("error", reject)
        sent.end(body)
      },
    )
  }

  function decide(
    token: string,
    fields: Record<string, string> | string,
    headers: Record<string, string> = {},
    path = `/approve/${token}`,
  ) {
    const body = typeof fields === "string" ? fields : new URLSearchParams(fields).toString()
    return send({ method: "POST", path, headers: { ...page, ...headers }, body })
  }

  const refusals = async () =>
    (await readJournal(door().db, { kind: "approval.refused", limit: 1000 })).length

  /** The link was tried, nothing was decided, and the journal says so. */
  async function expectRefused(id: string, attempt: () => Promise<{ status: number }>): Promise<void> {
    const before = await refusals()
    const { status } = await attempt()
    expect(status).toBeGreaterThanOrEqual(400)
    expect(await stateOf(id)).toBe("pending")
    expect(await refusals()).toBeGreaterThan(before)
  }

  const discord = () => world().discord
  const people = () => world().people
  return {
    open,
    close,
    door,
    discord,
    people,
    letters,
    ask,
    link,
    stateOf,
    send,
    decide,
    refusals,
    expectRefused,
  }
}
