import { createHmac } from "node:crypto"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import type { IncomingHttpHeaders, RequestListener } from "node:http"
import { join } from "node:path"
import { SMTPServer } from "smtp-server"
import { describe, expect, onTestFinished, test } from "vitest"
import { afterQuietHours } from "../../src/base/quiet-hours.ts"
import type { Notice, Notifier, Sent } from "../../src/safety/notify/notice.ts"
import { nextDue } from "../../src/safety/notify/outbox.ts"
import { serveHttp } from "../../testkit/http-server.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"
import { describeDatabases, sqliteDatabase } from "../../testkit/setup/databases.ts"
import { openNotifyWorld } from "../../testkit/worlds/notify-world.ts"

/** A channel that keeps what it is given, and does with it what the test says. */
function channel(answer: (notice: Notice) => Sent | Promise<Sent> = () => ({ outcome: "sent" })) {
  const got: Notice[] = []
  const notifier: Notifier = {
    id: "kept",
    person: "ann@example.net",
    isPrivate: true,
    takesLinks: true,
    knowsAgain: false,
    async send(notice) {
      got.push(notice)
      return answer(notice)
    },
  }
  return { got, notifier }
}

interface Received {
  headers: IncomingHttpHeaders
  body: string
  url: string
}

const nothing: Received = { headers: {}, body: "{}", url: "" }

/** A receiver that keeps what comes and answers with these statuses in turn, then with 200. */
async function receiver(...statuses: number[]) {
  const received: Received[] = []
  const listener: RequestListener = (request, response) => {
    let body = ""
    request.on("data", (chunk) => {
      body += chunk
    })
    request.on("end", () => {
      received.push({ headers: request.headers, body, url: request.url ?? "" })
      const status = statuses.shift() ?? 200
      if (status === 0) request.socket.destroy()
      else response.writeHead(status).end()
    })
  }
  return { received, url: await serveHttp(listener) }
}

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

describeDatabases("The outbox", (create) => {
  test("makes one notice of several requests within batch_seconds, and another of a later one", async () => {
    const { got, notifier } = channel()
    const world = await openNotifyWorld(await create(), { notifiers: [notifier], notify: { desktop: "off" } })
    await world.start()
    const begun = world.clock.now()
    await world.ask({ description: "Push one" })
    await world.ask({ description: "Push two" })
    await world.passUntil("notice.queued", 2)
    const [sent] = await world.passUntil("notice.sent")
    expect(got).toHaveLength(1)
    expect(got[0]?.about).toHaveLength(2)
    expect(got[0]?.text).toMatch(/Push one[\s\S]*Push two/)
    expect((sent?.at ?? 0) - begun).toBeGreaterThanOrEqual(60_000)
    await world.ask({ description: "Push three" })
    await world.passUntil("notice.sent", 2)
    expect(got.map(({ about }) => about.length)).toEqual([2, 1])
  })

  test("tells what was asked while the daemon was down, once", async () => {
    const { got, notifier } = channel()
    const world = await openNotifyWorld(await create(), { notifiers: [notifier] })
    await world.start()
    await world.stop()
    await world.ask({ description: "Push one" })
    await world.start()
    await world.passUntil("notice.sent")
    await world.stop()
    await world.start()
    await world.ask({ description: "Push two" })
    await world.passUntil("notice.sent", 2)
    expect(got.map(({ title }) => title)).toEqual(["Reverie asks: Push one", "Reverie asks: Push two"])
  })

  test("drops what was decided before it was sent", async () => {
    const { got, notifier } = channel()
    const world = await openNotifyWorld(await create(), { notifiers: [notifier] })
    await world.start()
    const { id } = await world.ask()
    await world.passUntil("notice.queued")
    await world.decide(id, "deny")
    await world.passUntil("notice.dropped")
    expect(got).toEqual([])
  })

  test("tries again later and later, then gives up", async () => {
    const { got, notifier } = channel(() => ({ outcome: "failed", reason: "busy", retry: true }))
    const world = await openNotifyWorld(await create(), { notifiers: [notifier] })
    await world.start()
    await world.ask()
    const failed = await world.passUntil("notice.failed", 6, 60_000)
    const waits = failed.slice(0, -1).map(({ at, data }) => ((data as { again: number }).again - at) / 60_000)
    // A minute of the manual clock may pass between the attempt and its entry.
    for (const [place, wanted] of [1, 5, 15, 60, 180].entries())
      expect([wanted - 1, wanted]).toContain(waits[place])
    expect(failed.at(-1)?.data).toMatchObject({ reason: "busy", again: null })
    expect(await nextDue(world.db, world.install)).toBeUndefined()
    expect(got).toHaveLength(6)
    expect(new Set(got.map(({ id }) => id)).size).toBe(1)
  })

  test.each([
    { knowsAgain: false, sends: 1, ends: "notice.unknown" },
    { knowsAgain: true, sends: 2, ends: "notice.sent" },
  ])(
    "after a crash while it was sent: $ends where the receiver knows it again: $knowsAgain",
    async (told) => {
      const store = await create()
      const ending = Promise.withResolvers<Sent>()
      onTestFinished(() => ending.resolve({ outcome: "sent" }))
      const never = channel(() => ending.promise)
      const first = await openNotifyWorld(store, {
        notifiers: [{ ...never.notifier, knowsAgain: told.knowsAgain }],
      })
      await first.start()
      await first.ask()
      await first.passUntil("notice.started")
      // The program is gone: nobody writes back. Another one begins on the same database.
      const then = channel()
      const second = await openNotifyWorld(store, {
        notifiers: [{ ...then.notifier, knowsAgain: told.knowsAgain }],
        start: first.clock.now(),
      })
      await second.start()
      await second.passUntil(told.ends)
      expect(never.got.length + then.got.length).toBe(told.sends)
      ending.resolve({ outcome: "sent" })
      if (told.knowsAgain) expect(then.got[0]?.id).toBe(never.got[0]?.id)
    },
  )

  test("keeps the cause of a refusal that is final, and does not try again", async () => {
    const { got, notifier } = channel(() => ({
      outcome: "failed",
      reason: "unknown recipient",
      retry: false,
    }))
    const world = await openNotifyWorld(await create(), { notifiers: [notifier] })
    await world.start()
    await world.ask()
    const [failed] = await world.passUntil("notice.failed")
    expect(failed?.data).toEqual({ reason: "unknown recipient", again: null })
    expect(await nextDue(world.db, world.install)).toBeUndefined()
    expect(got).toHaveLength(1)
  })
})

type World = Awaited<ReturnType<typeof openNotifyWorld>>

/** A world that listens, on SQLite. */
async function listening(options: Parameters<typeof openNotifyWorld>[1]): Promise<World> {
  const world = await openNotifyWorld(sqliteDatabase(), options)
  await world.start()
  return world
}

describe("Which requests are told", () => {
  test("min_urgency keeps back what is less urgent", async () => {
    const { got, notifier } = channel()
    const world = await listening({ notifiers: [notifier], notify: { min_urgency: "high" } })
    await world.ask({ description: "Push one" })
    await world.ask({ description: "Push two", urgency: "high" })
    await world.passUntil("notice.sent")
    expect(got.map(({ title }) => title)).toEqual(["Reverie asks: Push two"])
  })

  test("cycle_summaries tells what a cycle did, and without it nothing is told", async () => {
    for (const cycle_summaries of [true, false]) {
      const { got, notifier } = channel()
      const world = await listening({ notifiers: [notifier], notify: { cycle_summaries } })
      await world.cycle("Merged two memories about ports")
      await world.ask()
      await world.passUntil("notice.sent")
      expect(got[0]?.text.includes("Merged two memories about ports")).toBe(cycle_summaries)
    }
  })

  test("batch_seconds = 0 sends at once", async () => {
    const { notifier } = channel()
    const world = await listening({ notifiers: [notifier], notify: { batch_seconds: 0 } })
    const asked = world.clock.now()
    await world.ask()
    const [sent] = await world.passUntil("notice.sent", 1, 250)
    expect((sent?.at ?? 0) - asked).toBeLessThan(60_000)
  })
})

describe("Quiet hours", () => {
  const hours = { quiet_start: "22:00", quiet_end: "07:30", time_zone: "Europe/Berlin" }
  const at = (text: string) => Date.parse(text)

  test.each([
    ["2026-01-10T12:00:00+01:00", "2026-01-10T12:00:00+01:00"],
    ["2026-01-10T21:59:59+01:00", "2026-01-10T21:59:59+01:00"],
    ["2026-01-10T22:00:00+01:00", "2026-01-11T07:30:00+01:00"],
    ["2026-01-11T03:10:20+01:00", "2026-01-11T07:30:00+01:00"],
    ["2026-01-11T07:30:00+01:00", "2026-01-11T07:30:00+01:00"],
    // Clocks are put forward in the night to 29 March, and back in the one to 25 October.
    ["2026-03-28T23:00:00+01:00", "2026-03-29T07:30:00+02:00"],
    ["2026-10-24T23:00:00+02:00", "2026-10-25T07:30:00+01:00"],
  ])("at %s send at %s", (from, to) => {
    expect(afterQuietHours(at(from), hours)).toBe(at(to))
  })

  test("may lie within a day, end at a time that clocks skip, or not be set", () => {
    const noon = { ...hours, quiet_start: "12:00", quiet_end: "13:00" }
    expect(afterQuietHours(at("2026-01-10T12:30:00+01:00"), noon)).toBe(at("2026-01-10T13:00:00+01:00"))
    const skipped = { ...hours, quiet_end: "02:30" }
    const ended = afterQuietHours(at("2026-03-28T23:00:00+01:00"), skipped)
    expect(ended).toBeGreaterThanOrEqual(at("2026-03-29T03:00:00+02:00"))
    expect(ended).toBeLessThanOrEqual(at("2026-03-29T03:30:00+02:00"))
    expect(afterQuietHours(5, { ...hours, quiet_start: "" })).toBe(5)
  })

  test("keep a notice until they end, unless it is urgent", async () => {
    const { got, notifier } = channel()
    const notify = { quiet_start: "22:00", quiet_end: "07:30", time_zone: "UTC" }
    const start = at("2026-01-10T07:20:00Z")
    const world = await listening({ notifiers: [notifier], notify, start })
    await world.ask({ description: "Push one" })
    const [first] = await world.passUntil("notice.sent", 1, 10_000)
    expect(first?.at).toBeGreaterThanOrEqual(at("2026-01-10T07:30:00Z"))
    const night = await listening({ notifiers: [notifier], notify, start })
    await night.ask({ description: "Push two", urgency: "high" })
    const [second] = await night.passUntil("notice.sent")
    expect(second?.at).toBeLessThan(at("2026-01-10T07:25:00Z"))
    expect(got.map(({ title }) => title)).toEqual(["Reverie asks: Push one", "Reverie asks: Push two"])
  })
})

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
    expect(await world.approvals.look(link)).toMatchObject({
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

describe("A webhook", () => {
  const env = { REVERIE_WEBHOOK_SECRET: "shared" }

  test("gets JSON whose signature holds, and counts only", async () => {
    const { received, url } = await receiver()
    const world = await listening({ notify: { webhook_url: url }, env })
    const { id } = await world.ask({ description: "Push the secret plan" })
    await world.passUntil("notice.sent")
    const { headers, body } = received[0] ?? nothing
    const signed = createHmac("sha256", "shared")
      .update(`${headers["reverie-timestamp"]}.${body}`)
      .digest("hex")
    expect(headers["reverie-signature"]).toBe(`v1=${signed}`)
    expect(JSON.parse(body)).toMatchObject({ about: [{ kind: "request", id }], urgency: "normal" })
    expect(body).not.toContain("secret plan")
  })

  test("that is told in detail gets the words and a link", async () => {
    const { received, url } = await receiver()
    const notify = { webhook_url: url, webhook_detailed: true, link_base: "https://reverie.example.net" }
    const world = await listening({ notify, env })
    await world.ask({ description: "Push the secret plan" })
    await world.passUntil("notice.sent")
    expect(received[0]?.body).toContain("secret plan")
    expect(received[0]?.body).toContain("https://reverie.example.net/approve/")
  })

  test.each([500, 0])("that answers %s gets the same notice again, under the same id", async (status) => {
    const { received, url } = await receiver(status)
    const world = await listening({ notify: { webhook_url: url }, env })
    await world.ask()
    await world.passUntil("notice.sent")
    expect(received.map(({ headers }) => headers["reverie-notice"])).toHaveLength(2)
    expect(new Set(received.map(({ headers }) => headers["reverie-notice"])).size).toBe(1)
  })

  test("that redirects is not followed", async () => {
    const other = await receiver()
    const url = await serveHttp((_request, response) =>
      response.writeHead(307, { location: other.url }).end(),
    )
    const world = await listening({ notify: { webhook_url: url }, env })
    await world.ask()
    const [failed] = await world.passUntil("notice.failed")
    expect(failed?.data).toMatchObject({ again: null })
    expect(other.received).toEqual([])
  })

  test("without a secret is not used", async () => {
    const world = await openNotifyWorld(sqliteDatabase(), {
      notify: { webhook_url: "https://hooks.example.net/" },
    })
    expect(world.notifiers()).toEqual([])
    expect(world.problems[0]).toContain("REVERIE_WEBHOOK_SECRET")
  })
})

describe("SMS", () => {
  const env = { REVERIE_SMS_PASSWORD: "pass" }
  const sms = (url: string) => ({
    sms_to: "+4915100000000",
    sms_from: "+4915111111111",
    sms_url: `${url}/Messages.json`,
    sms_user: "AC1",
  })

  test("is a form with basic authentication, with counts only unless it may say more", async () => {
    for (const sms_detailed of [false, true]) {
      const { received, url } = await receiver(201)
      const world = await listening({ notify: { ...sms(url), sms_detailed }, env })
      await world.ask({ description: "Push the secret plan" })
      await world.passUntil("notice.sent")
      const { headers, body, url: path } = received[0] ?? nothing
      expect(path).toBe("/Messages.json")
      expect(headers.authorization).toBe(`Basic ${Buffer.from("AC1:pass").toString("base64")}`)
      const form = new URLSearchParams(body)
      expect(form.get("To")).toBe("+4915100000000")
      expect(form.get("From")).toBe("+4915111111111")
      expect(form.get("Body")?.includes("secret plan")).toBe(sms_detailed)
    }
  })

  test.each([
    { status: 500, kind: "notice.unknown" },
    { status: 0, kind: "notice.unknown" },
    { status: 401, kind: "notice.failed" },
  ])("is not sent twice after $status", async ({ status, kind }) => {
    const { received, url } = await receiver(status)
    const world = await listening({ notify: sms(url), env })
    await world.ask()
    await world.passUntil(kind)
    expect(received).toHaveLength(1)
    expect(await nextDue(world.db, world.install)).toBeUndefined()
  })

  test("sends no password over http to another machine", async () => {
    const world = await openNotifyWorld(sqliteDatabase(), { notify: sms("http://sms.example.net"), env })
    expect(world.problems[0]).toContain("must begin with https")
  })
})

describe("ntfy", () => {
  test("without a token is told counts only; with one what is asked for", async () => {
    for (const env of [{}, { REVERIE_NTFY_TOKEN: "tk_1" }]) {
      const { received, url } = await receiver()
      const world = await listening({ notify: { ntfy_topic: "reverie-ann", ntfy_server: url }, env })
      await world.ask({ description: "Push the secret plan", urgency: "high" })
      await world.passUntil("notice.sent")
      const { headers, body } = received[0] ?? nothing
      expect(JSON.parse(body)).toMatchObject({ topic: "reverie-ann", priority: 5 })
      expect(headers.authorization).toBe("REVERIE_NTFY_TOKEN" in env ? "Bearer tk_1" : undefined)
      expect(body.includes("secret plan")).toBe("REVERIE_NTFY_TOKEN" in env)
    }
  })

  test("that is busy is asked again later", async () => {
    const { received, url } = await receiver(429)
    const world = await listening({ notify: { ntfy_topic: "reverie-ann", ntfy_server: url } })
    await world.ask()
    await world.passUntil("notice.sent")
    expect(received).toHaveLength(2)
  })
})

describe("A channel whose reader may answer by words", () => {
  test("gets a code for each request, with which they decide", async () => {
    const { got, notifier } = channel()
    const chat = { ...notifier, id: "discord", person: "discord:1", takesLinks: false, takesCodes: true }
    const world = await listening({ notifiers: [chat], notify: { chat_to: ["discord:1"] } })
    expect(world.problems).toEqual([expect.stringContaining("people on Discord, which is switched off")])
    const { id } = await world.ask()
    await world.passUntil("notice.sent")
    const said = /`(deny [0-9a-z]{8})`/.exec(got[0]?.brief ?? "")?.[1] ?? ""
    const from = { person: "discord:1", from: "discord" }
    expect(await world.approvals.answer({ ...from, text: "looks broken, hold off" })).toBeUndefined()
    expect(await world.approvals.answer({ ...from, text: `${said}: not now` })).toMatchObject({
      outcome: "decided",
    })
    expect(await world.request(id)).toMatchObject({
      state: "denied",
      decision: { who: "discord:1", text: "not now" },
    })
  })
})

describe("The desktop", () => {
  /** A stand-in for notify-send that writes its arguments down, each on a line. */
  function standIn(code = 0, name = "notify-send") {
    const folder = throwawayFolder()
    const out = join(folder, "arguments")
    const program = join(folder, name)
    writeFileSync(
      program,
      `#!/bin/sh\nfor one in "$@"; do printf '%s\\n' "$one"; done > '${out}'\nexit ${code}\n`,
    )
    chmodSync(program, 0o755)
    return { out, env: { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ":0" } }
  }

  test("shows a notice, whose words are neither options nor markup", async () => {
    const { out, env } = standIn()
    const world = await listening({ env })
    await world.ask({ description: "--help <b>Push</b> $(touch /tmp/x)", urgency: "high" })
    await world.passUntil("notice.sent")
    const given = readFileSync(out, "utf8").split("\n")
    expect(given.slice(0, 3)).toEqual(["--app-name=Reverie", "--urgency=critical", "--"])
    expect(given[3]).toContain("Reverie asks: --help")
    expect(given[4]).toContain("&lt;b&gt;Push&lt;/b&gt; $(touch /tmp/x)")
  })

  test("of a Mac gets the words as arguments of a script that does not change", async () => {
    const { out, env } = standIn(0, "osascript")
    const world = await listening({ env, platform: "darwin" })
    await world.ask({ description: '" & (do shell script "touch /tmp/x") & "' })
    await world.passUntil("notice.sent")
    const given = readFileSync(out, "utf8").split("\n")
    expect(given.slice(0, 6)).toEqual([
      ...["-e", "on run argv"],
      ...["-e", "display notification (item 2 of argv) with title (item 1 of argv)"],
      ...["-e", "end run"],
    ])
    expect(given[6]).toContain("do shell script")
  })

  test("is tried again where notify-send fails", async () => {
    const { env } = standIn(1)
    const world = await listening({ env })
    await world.ask()
    await world.passUntil("notice.failed")
    expect(await nextDue(world.db, world.install)).toBeDefined()
  })

  test("is used by itself only where there is a display, and never when it is off", async () => {
    const { out, env } = standIn()
    const ids = async (desktop: "auto" | "on" | "off", variables: Record<string, string>) =>
      (await openNotifyWorld(sqliteDatabase(), { notify: { desktop }, env: variables }))
        .notifiers()
        .map(({ id }) => id)
    expect(await ids("auto", env)).toEqual(["desktop"])
    expect(await ids("auto", { PATH: env.PATH })).toEqual([])
    expect(await ids("on", { PATH: env.PATH })).toEqual(["desktop"])
    expect(await ids("off", env)).toEqual([])
    const missing = await openNotifyWorld(sqliteDatabase(), {
      notify: { desktop: "on" },
      env: { PATH: "/nowhere" },
    })
    expect(missing.problems[0]).toContain("notify-send is not installed")
    expect(existsSync(out)).toBe(false)
  })
})

describe("reverie doctor", () => {
  async function checked(notify: string, env: Record<string, string> = {}) {
    const installation = createPlainInstallation({ env })
    const config = `[embedding]\nmodel = "none"\n[notify]\ndesktop = "off"\n${notify}`
    writeFileSync(join(installation.home, "config.toml"), config, { mode: 0o600 })
    const { checks } = await installation.json<{ checks: { id: string; ok: boolean; message: string }[] }>(
      "doctor",
    )
    return checks.filter(({ id }) => id === "notify")
  }

  test("says what is set up, sends nothing, and names what cannot be reached or is missing", async () => {
    const { received, url } = await receiver()
    expect(await checked("")).toMatchObject([
      { ok: true, message: expect.stringContaining("none is set up") },
    ])
    const topic = `ntfy_topic = "reverie-ann"\nntfy_server = "${url}"\n`
    expect(await checked(topic)).toMatchObject([{ ok: true, message: "ntfy (counts only)" }])
    expect(received).toEqual([])
    const away = 'ntfy_topic = "reverie-ann"\nntfy_server = "http://127.0.0.1:1"\n'
    expect(await checked(away)).toMatchObject([
      { ok: false, message: expect.stringContaining("127.0.0.1:1") },
    ])
    const lacking = 'webhook_url = "https://hooks.example.net/"\n'
    expect(await checked(lacking)).toMatchObject([
      { ok: false, message: expect.stringContaining("its secret is not") },
    ])
  })
})

/** A letter as its reader sees it. */
function decoded(letter: string): string {
  return letter
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/\r?\n[ \t]+/g, " ")
}
