import { createHmac } from "node:crypto"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { nextDue } from "../../../src/safety/notify/outbox.ts"
import { serveHttp } from "../../../testkit/http-server.ts"
import { throwawayFolder } from "../../../testkit/program/home.ts"
import { createPlainInstallation } from "../../../testkit/program/program.ts"
import { sqliteDatabase } from "../../../testkit/setup/databases.ts"
import { channel, listening, nothing, receiver } from "../../../testkit/worlds/notify-receivers.ts"
import { openNotifyWorld } from "../../../testkit/worlds/notify-world.ts"

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
    const chat = {
      ...notifier,
      id: "discord",
      person: "discord:1",
      supportsLinks: false,
      supportsCodes: true,
    }
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
