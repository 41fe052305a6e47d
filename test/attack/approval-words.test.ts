import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parseDecision } from "../../src/safety/permission/decision-text.ts"
import { contextSchema } from "../../src/safety/permission/request.ts"
import { issueCode, issueToken } from "../../src/safety/permission/token.ts"
import { readJournal } from "../../src/storage/journal.ts"
import { sqliteDatabase } from "../../testkit/setup/databases.ts"
import { ann, approvalWorld, linkHost } from "../../testkit/worlds/approval-world.ts"
import { openNotifyWorld } from "../../testkit/worlds/notify-world.ts"

const hostile = "</pre><script>fetch('//evil.example')</script><img src=x onerror=alert(1)>"

const world = approvalWorld()
const { ask, letters, link, send } = world
beforeAll(world.open)
afterAll(world.close)

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
    expect(parseDecision(text)).toBeUndefined()
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
    const talks = {
      ann: world.discord().openDm(world.people().ann),
      bot: world.discord().openDm(world.people().bot),
    }
    const codeIn = (talk: string) => {
      const notice = world
        .discord()
        .posts()
        .find(({ channel, text }) => channel === talk && text.includes(request.description))
      return /`approve ([0-9a-z]{8})`/.exec(notice?.text ?? "")?.[1] ?? ""
    }
    await world.discord().until(() => codeIn(talks.ann) !== "" && codeIn(talks.bot) !== "")
    return { request, talks, codes: { ann: codeIn(talks.ann), bot: codeIn(talks.bot) } }
  }

  /** The person's own answer, after whatever was tried before it, is the only one that counted. */
  async function expectOnlyAnn({ request, talks, codes }: Awaited<ReturnType<typeof asked>>) {
    const said = world.discord().say(talks.ann, world.people().ann, `deny ${codes.ann}: no`)
    await world.discord().until(() =>
      world
        .discord()
        .posts()
        .some(({ replyTo }) => replyTo === said),
    )
    const decided = await readJournal(world.door().db, {
      subject: request.id,
      kind: ["permission.approved", "permission.denied"],
    })
    expect(decided.map(({ kind }) => kind)).toEqual(["permission.denied"])
  }

  test("is given by somebody else of the same name, in private", async () => {
    const one = await asked()
    const other = world.discord().addUser("ann")
    const talk = world.discord().openDm(other)
    world.discord().say(talk, other, "hello")
    // From the answer on, what is said there is taken in at once.
    await world.discord().until(() =>
      world
        .discord()
        .posts()
        .some(({ channel }) => channel === talk),
    )
    world.discord().say(talk, other, `approve ${one.codes.ann}`)
    await expectOnlyAnn(one)
  })

  test("is given by the person where others read along", async () => {
    const one = await asked()
    world.discord().say(world.discord().channel, world.people().ann, `approve ${one.codes.ann}`)
    await expectOnlyAnn(one)
  })

  test("is given by a program that was named as a person", async () => {
    const one = await asked()
    world.discord().say(one.talks.bot, world.people().bot, `approve ${one.codes.bot}`)
    await expectOnlyAnn(one)
  })

  test("is put into a message that said something else before", async () => {
    const one = await asked()
    world
      .discord()
      .edit(
        world.discord().say(one.talks.ann, world.people().ann, "good morning"),
        `approve ${one.codes.ann}`,
      )
    await expectOnlyAnn(one)
  })
})
