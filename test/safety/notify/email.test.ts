import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { SMTPServer } from "smtp-server"
import { describe, expect, onTestFinished, test } from "vitest"
import { nextDue } from "../../../src/safety/notify/outbox.ts"
import { throwawayFolder } from "../../../testkit/program/home.ts"
import { sqliteDatabase } from "../../../testkit/setup/databases.ts"
import { listening } from "../../../testkit/worlds/notify-receivers.ts"
import { openNotifyWorld } from "../../../testkit/worlds/notify-world.ts"

/** A mail server on this machine that keeps the letters. */
async function mailServer(options: { refuse?: number; cutAfterData?: boolean; encrypts?: boolean } = {}) {
  const letters: { from: string; to: string[]; text: string; user: string | undefined }[] = []
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: options.encrypts ? [] : ["STARTTLS"],
    onAuth(auth, _session, done) {
      if (auth.password === "open sesame") done(null, { user: auth.username })
      else done(new Error("wrong"))
    },
    onData(stream, session, done) {
      let text = ""
      stream.on("data", (chunk) => {
        text += chunk
      })
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? "" : mailFrom.address
        letters.push({ from, to: rcptTo.map(({ address }) => address), text, user: session.user })
        if (options.cutAfterData) {
          for (const connection of server.connections)
            (connection as { _socket?: { destroy(): void } })._socket?.destroy()
          return
        }
        const refusal = Object.assign(new Error("not now"), { responseCode: options.refuse })
        done(options.refuse === undefined ? null : refusal)
      })
    },
  })
  server.on("error", () => undefined)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const notify = {
    email_to: ["ann@example.net"],
    email_from: "reverie@example.net",
    email_host: "127.0.0.1",
    email_port: port,
    email_tls: "none" as const,
  }
  return { letters, notify, options }
}

describe("E-mail", () => {
  test("arrives in full, with the risks first, a link for its reader, and a stable Message-ID", async () => {
    const { letters, notify } = await mailServer()
    const world = await listening({ notify: { ...notify, link_base: "https://reverie.example.net/r/" } })
    const { id } = await world.ask({ context: { risks: ["others see it"], diff: "+a\n-b" } })
    const [sent] = await world.passUntil("notice.sent")
    expect(letters).toHaveLength(1)
    const text = decoded(letters[0]?.text ?? "")
    expect(letters[0]).toMatchObject({ from: "reverie@example.net", to: ["ann@example.net"] })
    expect(text).toContain(`Message-ID: <${sent?.subject}@example.net>`)
    expect(text).toMatch(/^Subject: Reverie asks: Push the branch ambient\/fix-clock\r?$/m)
    expect(text.indexOf("others see it")).toBeLessThan(text.indexOf("The test was red"))
    expect(text).toContain("a diff of 2 lines")
    const link = /https:\/\/reverie\.example\.net\/r\/approve\/([\w.-]+)/.exec(text)?.[1] ?? ""
    expect(await world.approvals.inspect(link)).toMatchObject({
      outcome: "open",
      person: "ann@example.net",
      request: { id },
    })
  })

  test("without link_base has no link", async () => {
    const { letters, notify } = await mailServer()
    const world = await listening({ notify })
    await world.ask()
    await world.passUntil("notice.sent")
    expect(decoded(letters[0]?.text ?? "")).not.toContain("/approve/")
  })

  test("signs in with the password of the environment, and says so when that is wrong or missing", async () => {
    const { letters, notify } = await mailServer()
    const named = { ...notify, email_user: "ann", email_password_env: "MAIL_PASSWORD" }
    const right = await listening({ notify: named, env: { MAIL_PASSWORD: "open sesame" } })
    await right.ask()
    await right.passUntil("notice.sent")
    expect(letters[0]?.user).toBe("ann")
    const wrong = await listening({ notify: named, env: { MAIL_PASSWORD: "open" } })
    await wrong.ask()
    const [failed] = await wrong.passUntil("notice.failed")
    expect(failed?.data).toEqual({ reason: "the mail server refused the sign-in (535)", again: null })
    const none = await openNotifyWorld(sqliteDatabase(), { notify: named })
    expect(none.problems).toEqual([
      "notify.email_user is set, but its password is not; put it into the variable MAIL_PASSWORD or notify.email in credentials.json.",
    ])
  })

  test.each([
    { refuse: 451, kind: "notice.failed", again: true },
    { refuse: 550, kind: "notice.failed", again: false },
  ])("that the server refuses with $refuse is tried again: $again", async ({ refuse, kind, again }) => {
    const { notify } = await mailServer({ refuse })
    const world = await listening({ notify })
    await world.ask()
    const [failed] = await world.passUntil(kind)
    expect(failed?.data).toMatchObject({ reason: `the mail server refused it (${refuse})` })
    expect((await nextDue(world.db, world.install)) !== undefined).toBe(again)
  })

  test("whose server hangs up after the last word is not sent twice", async () => {
    const { letters, notify } = await mailServer({ cutAfterData: true })
    const world = await listening({ notify })
    await world.ask()
    await world.passUntil("notice.unknown")
    expect(letters).toHaveLength(1)
    expect(await nextDue(world.db, world.install)).toBeUndefined()
  })

  test("waits for a server that is not there", async () => {
    const { notify } = await mailServer()
    const world = await listening({ notify: { ...notify, email_port: 1 } })
    await world.ask()
    const [failed] = await world.passUntil("notice.failed")
    expect(failed?.data).toMatchObject({ reason: expect.stringContaining("cannot be reached") })
    expect(await nextDue(world.db, world.install)).toBeDefined()
  })

  test.each([
    { encrypts: false, why: "does not encrypt" },
    { encrypts: true, why: "shows a certificate that nobody vouches for" },
  ])("is not given to a server that $why, where encryption is wanted", async ({ encrypts }) => {
    const { letters, notify } = await mailServer({ encrypts })
    const named = { ...notify, email_tls: "starttls" as const, email_user: "ann" }
    const world = await listening({ notify: named, env: { REVERIE_SMTP_PASSWORD: "open sesame" } })
    await world.ask()
    await world.passUntil("notice.failed")
    expect(letters).toEqual([])
  })

  test("takes the password from credentials.json where the environment has none", async () => {
    const { letters, notify } = await mailServer()
    const credentialsFile = join(throwawayFolder(), "credentials.json")
    writeFileSync(credentialsFile, JSON.stringify({ notify: { email: "open sesame" } }))
    const world = await listening({ notify: { ...notify, email_user: "ann" }, credentialsFile })
    await world.ask()
    await world.passUntil("notice.sent")
    expect(letters[0]?.user).toBe("ann")
  })

  test("goes to no other machine without encryption", async () => {
    const { notify } = await mailServer()
    const world = await openNotifyWorld(sqliteDatabase(), {
      notify: { ...notify, email_host: "mail.example.net" },
    })
    expect(world.problems[0]).toContain("set it to starttls or tls")
  })
})

/** A letter as its reader sees it. */
function decoded(letter: string): string {
  return letter
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/\r?\n[ \t]+/g, " ")
}
