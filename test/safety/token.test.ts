import { describe, expect, test } from "vitest"
import { parseDecision } from "../../src/safety/permission/decision-text.ts"
import { approvalKey, issueCode, issueToken } from "../../src/safety/permission/token.ts"
import { sql } from "../../src/storage/sql.ts"
import { describeDatabases, type TestDatabase } from "../../testkit/setup/databases.ts"
import { openNotifyWorld } from "../../testkit/worlds/notify-world.ts"

const ann = "ann@example.net"

async function openWorld(store: TestDatabase) {
  const notify = {
    email_to: [ann, "bob@example.net"],
    email_from: "r@example.net",
    email_host: "127.0.0.1",
    email_tls: "none" as const,
    chat_to: ["discord:42", "discord:43"],
  }
  const world = await openNotifyWorld(store, { notify })
  const request = await world.ask()
  const grant = (person = ann) => ({ request, person, expiresAt: request.expiresAt })
  const link = (person?: string) =>
    world.db.write((transaction) => issueToken(transaction, world, grant(person)))
  const code = (person?: string) =>
    world.db.write((transaction) => issueCode(transaction, world, grant(person)))
  return { ...world, asked: request, link, code }
}

describeDatabases("A link", (create) => {
  test("decides its request once, in the name of its person", async () => {
    const world = await openWorld(await create())
    const { id, digest } = world.asked
    const token = await world.link()
    expect(await world.approvals.inspect(token)).toMatchObject({
      outcome: "open",
      person: ann,
      request: { id },
    })
    const decided = await world.approvals.redeem(token, digest, { kind: "deny", text: "not today" })
    expect(decided).toMatchObject({ outcome: "decided", person: ann })
    expect(await world.request(id)).toMatchObject({
      state: "denied",
      decision: { who: ann, from: "link", text: "not today" },
    })
    expect(await world.approvals.redeem(token, digest, { kind: "approve" })).toMatchObject({ why: "used" })
    expect(await world.request(id)).toMatchObject({ state: "denied" })
    expect(await world.journal("approval.refused")).toMatchObject([
      { subject: id, data: { why: "used", person: ann } },
    ])
  })

  test("of two people counts for whoever is first, and tells the other", async () => {
    const world = await openWorld(await create())
    const { id, digest } = world.asked
    const [anns, bobs] = [await world.link(), await world.link("bob@example.net")]
    const both = await Promise.all([
      world.approvals.redeem(anns, digest, { kind: "approve" }),
      world.approvals.redeem(bobs, digest, { kind: "deny" }),
    ])
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(["decided", "refused"])
    const winner = both.find((one) => one.outcome === "decided")
    const { decision } = (await world.request(id)) ?? {}
    expect(winner).toMatchObject({ person: decision?.who })
    expect(await world.journal("permission.")).toHaveLength(2)
  })

  test("that failed stays unused: nothing of it happened", async () => {
    const world = await openWorld(await create())
    const { digest } = world.asked
    const token = await world.link()
    expect(await world.approvals.redeem(token, "another digest", { kind: "approve" })).toMatchObject({
      why: "conflict",
    })
    expect(await world.approvals.redeem(token, digest, { kind: "approve" })).toMatchObject({
      outcome: "decided",
    })
  })

  test("keeps neither token nor code readable in the database or the journal", async () => {
    const world = await openWorld(await create())
    const token = await world.link()
    const code = await world.code()
    await world.approvals.redeem(`${token.slice(0, -1)}A`, world.asked.digest, { kind: "approve" })
    await world.approvals.redeem(token, world.asked.digest, { kind: "approve" })
    const rows = await world.db.read(sql`select * from approval_tokens`)
    const all = JSON.stringify([rows, await world.journal("approval."), await world.journal("permission.")])
    expect(all).not.toContain(token.split(".")[1])
    expect(all).not.toContain(code)
  })
})

describeDatabases("A code", (create) => {
  test("decides for the person it was given to, from where they answered, once", async () => {
    const world = await openWorld(await create())
    const code = await world.code("discord:42")
    const said = { person: "discord:42", from: "discord", text: `approve ${code.toUpperCase()}` }
    expect(await world.approvals.answer({ ...said, text: `ok, approve ${code}` })).toBeUndefined()
    expect(await world.approvals.answer({ ...said, person: "discord:43" })).toMatchObject({ why: "unknown" })
    expect(await world.approvals.answer(said)).toMatchObject({ outcome: "decided" })
    expect(await world.approvals.answer(said)).toMatchObject({ why: "used" })
    expect(await world.request(world.asked.id)).toMatchObject({
      state: "approved",
      decision: { who: "discord:42", from: "discord" },
    })
  })

  test("counts no more once the configuration no longer names its person", async () => {
    const world = await openWorld(await create())
    const code = await world.code("discord:44")
    const said = { person: "discord:44", from: "discord", text: `approve ${code}` }
    expect(await world.approvals.answer(said)).toMatchObject({ why: "unknown" })
    expect(await world.request(world.asked.id)).toMatchObject({ state: "pending" })
  })

  test("cannot be guessed: after five wrong ones even the right one waits a minute", async () => {
    const world = await openWorld(await create())
    const person = "discord:42"
    const code = await world.code(person)
    const say = (text: string) => world.approvals.answer({ person, from: "discord", text })
    for (let tries = 0; tries < 5; tries += 1) await say(`approve 0000000${tries}`)
    const right = () => say(`approve ${code}`)
    expect(await right()).toMatchObject({ why: "too-many" })
    await world.clock.advance(60_000)
    expect(await right()).toMatchObject({ outcome: "decided" })
  })
})

test("Keys of two installations differ, and say nothing of the token", () => {
  const key = approvalKey({ install: "install_a", token: "t".repeat(43) })
  const other = approvalKey({ install: "install_b", token: "t".repeat(43) })
  expect(key.secret).toHaveLength(32)
  expect(Buffer.from(key.secret).equals(Buffer.from(other.secret))).toBe(false)
})

describe("Words that decide", () => {
  test.each([
    ["approve 4k9x2v7q", { code: "4k9x2v7q", decision: { kind: "approve" } }],
    ["  Approve 4K9X2V7Q\n", { code: "4k9x2v7q", decision: { kind: "approve" } }],
    ["deny 4k9x2v7q", { code: "4k9x2v7q", decision: { kind: "deny", text: undefined } }],
    [
      "deny 4k9x2v7q: not on a Friday",
      { code: "4k9x2v7q", decision: { kind: "deny", text: "not on a Friday" } },
    ],
  ])("%j", (text, decision) => {
    expect(parseDecision(text)).toEqual(decision)
  })
})
