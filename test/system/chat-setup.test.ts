import { spawn } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, onTestFinished, test } from "vitest"
import { serveDiscord } from "../../testkit/discord/peer.ts"
import { hasNgircd, startNgircd } from "../../testkit/irc/ngircd.ts"
import { createPlainInstallation, ending, type Installation } from "../../testkit/program/program.ts"
import { expectSentence } from "../../testkit/sessions/told.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

async function open(options: Parameters<typeof serveDiscord>[0] = {}) {
  const peer = await serveDiscord(options)
  onTestFinished(peer.close)
  return { peer, installation: createPlainInstallation() }
}

/** Runs a command with something on its standard input. */
function piping({ start }: Installation, text: string, ...args: string[]) {
  const child = start(...args)
  const done = ending(child)
  child.stdin?.end(text)
  return done
}

function saved({ paths }: Installation): Record<string, unknown> {
  return JSON.parse(readFileSync(paths.credentialsFile, "utf8"))
}

describe("reverie chat setup discord", () => {
  test("checks the token, keeps it out of the configuration, and says what comes next", async () => {
    const { peer, installation } = await open()
    const { paths } = installation
    const args = ["chat", "setup", "discord", "--with-token", "--api-url", peer.apiUrl]
    const done = await piping(installation, `Bot ${peer.token}\n`, ...args)
    expect(done.code).toBe(0)
    expect(done.stderr).toContain("The token works: it belongs to the bot reverie.")
    expect(done.stderr).toMatch(/\+\[chat\.discord\]\n +\+enabled = true/)
    expect(done.stderr).toContain("Send Messages: to answer")
    expect(done.stdout.trim()).toBe(
      `https://discord.com/oauth2/authorize?client_id=${peer.bot}&scope=bot&permissions=274878008384`,
    )
    expect(saved(installation)).toMatchObject({ chat: { discord: { secret: peer.token } } })
    expect(statSync(paths.credentialsFile).mode & 0o777).toBe(0o600)
    expect(readFileSync(paths.configFile, "utf8")).not.toContain(peer.token)
    expect(await installation.json("config", "get", "chat.discord.enabled")).toMatchObject({ value: true })
    const journal = await installation.run("journal", "--json")
    expect(journal.stdout).toContain('"credential.saved"')
    expect(journal.stdout).not.toContain(peer.token)
  })

  test("answers in JSON, and changes nothing that already holds", async () => {
    const { peer, installation } = await open()
    const args = ["chat", "setup", "discord", "--with-token", "--api-url", peer.apiUrl, "--json"]
    const first = JSON.parse((await piping(installation, peer.token, ...args)).stdout)
    expect(first).toMatchObject({ platform: "discord", bot: { id: peer.bot }, mayReadContent: true })
    expect(first.changed).toEqual(["chat.discord.enabled", "chat.discord.api_url"])
    expect(JSON.parse((await piping(installation, peer.token, ...args)).stdout).changed).toEqual([])
  })

  test("ends with one sentence, and saves nothing, when the token is wrong", async () => {
    const { peer, installation } = await open()
    const args = ["chat", "setup", "discord", "--with-token", "--api-url", peer.apiUrl]
    expectSentence(await piping(installation, "", ...args), 2, /There is no token/)
    expectSentence(await piping(installation, "hunter2", ...args), 2, /not the token of a Discord bot/)
    const other = `${"other".repeat(5)}.token0.${"y".repeat(30)}`
    expectSentence(await piping(installation, other, ...args), 1, /Discord refuses the bot's token/)
    peer.fault({ kind: "status", status: 500 })
    expectSentence(await piping(installation, peer.token, ...args), 1, /status 500/)
    const plain = ["chat", "setup", "discord", "--with-token", "--api-url", "http://discord.example/api"]
    expectSentence(await piping(installation, peer.token, ...plain), 2, /must use https/)
    expectSentence(await installation.run("chat", "setup", "discord"), 2, /give --with-token/)
    expect((await installation.run("config", "get", "chat.discord.enabled")).stdout.trim()).toBe("false")
    expect(() => saved(installation)).toThrow()
  })

  test("walks through it on a terminal, and does not show the token", async () => {
    const { peer, installation } = await open()
    await installation.run("config", "set", "chat.discord.api_url", peer.apiUrl)
    const child = spawn("script", ["-qec", `'${program}' chat setup discord`, "/dev/null"], {
      env: { ...process.env, REVERIE_HOME: installation.home },
    })
    let shown = ""
    child.stdout.on("data", (data) => {
      shown += data
      if (/stays hidden/.test(String(data))) child.stdin.write(`${peer.token}\r`)
    })
    await new Promise((resolve) => child.on("exit", resolve))
    expect(shown).toContain("Message Content Intent")
    expect(shown).toContain("The token works")
    expect(shown).not.toContain(peer.token)
    expect(saved(installation)).toMatchObject({ chat: { discord: { secret: peer.token } } })
  })
})

describe("reverie chat setup irc", () => {
  test.skipIf(!hasNgircd())("tries to connect, and writes down what worked", async () => {
    const server = await startNgircd({ password: "open" })
    onTestFinished(server.close)
    const installation = createPlainInstallation()
    const place = ["--host", "127.0.0.1", "--port", String(server.port), "--no-tls", "--nick", "fern"]
    const args = [
      "chat",
      "setup",
      "irc",
      ...place,
      "--channel",
      "#garden",
      "--channel",
      "#shed",
      "--with-password",
    ]
    expectSentence(
      await piping(installation, "wrong", ...args),
      1,
      /rejects the password.* Nothing was saved/,
    )
    const done = await piping(installation, "open\n", ...args)
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining("Connected as fern") })
    expect(saved(installation)).toMatchObject({ chat: { irc: { secret: "open" } } })
    expect(await installation.json("config", "get", "chat.irc.channels")).toMatchObject({
      value: ["#garden", "#shed"],
    })
    expect(readFileSync(installation.paths.configFile, "utf8")).not.toContain("open")
  })

  test.skipIf(!hasNgircd())(
    "speaks TLS to a server that signed its certificate itself, if told its fingerprint",
    async () => {
      const server = await startNgircd({ tls: true })
      onTestFinished(server.close)
      const { run, json } = createPlainInstallation()
      const setup = ["chat", "setup", "irc", "--host", "127.0.0.1", "--port", String(server.tlsPort)]
      expectSentence(await run(...setup), 1, /self.signed/)
      expectSentence(
        await run(...setup, "--tls-fingerprint", "ab".repeat(32)),
        1,
        /is not chat\.irc\.tls_fingerprint/,
      )
      expect(await run(...setup, "--tls-fingerprint", server.fingerprint)).toMatchObject({ code: 0 })
      expect(await json("config", "get", "chat.irc.tls")).toMatchObject({ value: true })
    },
  )

  test("ends with one sentence when something is missing or wrong", async () => {
    const { run } = createPlainInstallation()
    const setup = (...args: string[]) => run("chat", "setup", "irc", ...args)
    expectSentence(await setup(), 2, /give --host/)
    expectSentence(await setup("--host", "a b"), 2, /chat\.irc\.host must be/)
    expectSentence(await setup("--host", "x", "--nick", "two words"), 2, /chat\.irc\.nick must be/)
    expectSentence(await setup("--host", "x", "--channel", "garden"), 2, /chat\.irc\.channels must be/)
    expectSentence(await setup("--host", "x", "--channel", "#a\r\nQUIT"), 2, /chat\.irc\.channels must be/)
    expectSentence(await setup("--host", "x", "--port", "many"), 2, /chat\.irc\.port must be/)
    expectSentence(await setup("--host", "x", "--account", "me"), 2, /--with-password/)
    expectSentence(await setup("--host", "127.0.0.1", "--port", "1", "--no-tls"), 1, /could not be reached/)
  })
})

describe("reverie chat setup media", () => {
  test("keeps a key outside the configuration, and refuses what is none", async () => {
    const installation = createPlainInstallation()
    const args = ["chat", "setup", "media"]
    const done = await piping(installation, "giphy-key-0123\n", ...args, "giphy", "--with-key")
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining("GIPHY_API_KEY takes precedence") })
    expect(saved(installation)).toMatchObject({ media: { giphy: { key: "giphy-key-0123" } } })
    const refused = (text: string, server: string) =>
      piping(installation, text, ...args, server, "--with-key")
    expectSentence(await refused("a key\n", "tenor"), 2, /This is not a key/)
    expectSentence(await refused("some-other-key\n", "music"), 2, /name one of image, video, giphy, tenor/)
  })
})
