import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { systemRandom } from "../../src/base/random.ts"
import { decideRequest, expireRequests } from "../../src/safety/permission/requests.ts"
import { approvalKey, issueToken } from "../../src/safety/permission/token.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { sql } from "../../src/storage/sql.ts"
import { ann, approvalWorld, by, linkHost, page, type Sent } from "../../testkit/worlds/approval-world.ts"

const world = approvalWorld()
const { ask, decide, expectRefused, letters, link, refusals, send, stateOf } = world
beforeAll(world.open)
afterAll(world.close)

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
    const wrong = { install: world.door().install, secret: Buffer.from(world.door().token) }
    const grant = { request, person: ann, expiresAt: Date.now() + 3_600_000 }
    const token = await world
      .door()
      .db.write((transaction) => issueToken(transaction, { key: wrong, random: systemRandom }, grant))
    await expectRefused(request.id, () => decide(token, { decision: "approve", shown: request.digest }))
  })

  test("signed by another installation", async () => {
    const request = await ask()
    const wrong = {
      ...approvalKey({ install: "install_other", token: world.door().token }),
      install: world.door().install,
    }
    const grant = { request, person: ann, expiresAt: Date.now() + 3_600_000 }
    const token = await world
      .door()
      .db.write((transaction) => issueToken(transaction, { key: wrong, random: systemRandom }, grant))
    await expectRefused(request.id, () => decide(token, { decision: "approve", shown: request.digest }))
  })

  test("that is the installation's token", async () => {
    const request = await ask()
    await expectRefused(request.id, () =>
      decide(world.door().token, { decision: "approve", shown: request.digest }),
    )
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
    await world
      .door()
      .db.write((transaction) =>
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
    await world
      .door()
      .db.write((transaction) =>
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
    await world
      .door()
      .db.write((transaction) =>
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
    const inside = await send({ path, headers: { host: `127.0.0.1:${world.door().port}` } })
    expect([401, 403, 404]).toContain(inside.status)
  })

  test("takes a link for the token of the API", async () => {
    const token = await link(await ask())
    const headers = { host: `127.0.0.1:${world.door().port}`, authorization: `Bearer ${token}` }
    expect((await send({ path: "/v1/status", headers })).status).toBe(401)
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
    const entries = await readJournal(world.door().db, {
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
        world
          .door()
          .db.write((transaction) =>
            expireRequests(transaction, { install: world.door().install, now: request.expiresAt }, by()),
          ),
      ])
      const wasExpired = expired.some(({ id }) => id === request.id)
      expect(answer.status === 200).toBe(!wasExpired)
      const entries = await readJournal(world.door().db, {
        subject: request.id,
        kind: ["permission.approved", "permission.expired"],
      })
      expect(entries).toHaveLength(1)
    }
  })

  test("one approves by link while the owner denies at the terminal", async () => {
    const request = await ask()
    const token = await link(request)
    const denying = world
      .door()
      .db.write((transaction) =>
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
    const entries = await readJournal(world.door().db, {
      subject: request.id,
      kind: ["permission.approved", "permission.denied"],
    })
    expect(entries).toHaveLength(1)
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
