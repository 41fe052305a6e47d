import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, onTestFinished, test } from "vitest"
import { destinationOf } from "../../testkit/browse.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation, ending, type Installation } from "../../testkit/program/program.ts"
import { type ScriptedIssuer, startIssuer } from "../../testkit/scripted-issuer.ts"
import { expectSentence } from "../../testkit/sessions/told.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))
const noKeys = { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "", OPENROUTER_API_KEY: "" }
const openaiKey = `sk-proj-${"Ab3".repeat(14)}`

type Accounts = { accounts: { id: string; state: string; [more: string]: unknown }[] }

/** A folder with a browser in it that follows addresses, or one that cannot be started. */
function browserFolder(works: boolean): string {
  const folder = throwawayFolder()
  const follow = `exec '${process.execPath}' -e 'fetch(process.argv[1])' "$1"`
  for (const name of ["xdg-open", "open"]) {
    const file = join(folder, name)
    writeFileSync(file, works ? `#!/bin/sh\n${follow}\n` : "")
    chmodSync(file, works ? 0o755 : 0o644)
  }
  return folder
}

/** An installation that signs in at a scripted issuer, with a browser that follows where it is led. */
async function open(options: { script?: Partial<ScriptedIssuer["script"]>; browser?: boolean } = {}) {
  const issuer = await startIssuer(options.script)
  const bin = browserFolder(options.browser ?? true)
  const path = `${bin}:${process.env.PATH}`
  const env = { ...noKeys, REVERIE_OPENAI_ISSUER: issuer.url }
  const installation = createPlainInstallation({ env: { ...env, PATH: path } })
  /** The same for what needs no browser. */
  const { run: runHere, json } = createPlainInstallation({ env, home: installation.home })
  const accountOf = async (id: string) => {
    const { accounts } = await json<Accounts>("login")
    return accounts.find((account) => account.id === id)
  }
  const journal = async () => {
    const { stdout } = await runHere("journal", "--json")
    const entries = stdout.trim().split("\n").filter(Boolean)
    return entries.map((line): { kind: string; subject: string } => JSON.parse(line))
  }
  return { issuer, accountOf, journal, installation, ...installation, runHere, json }
}

/** The address the program shows, once it waits. */
function addressFrom(child: ChildProcess, waits: RegExp): Promise<string> {
  let said = ""
  return new Promise((resolve) => {
    child.stderr?.on("data", (chunk) => {
      said += chunk
      const found = /^(http\S+)\n/m.exec(said)?.[1]
      if (found && waits.test(said)) resolve(found)
    })
  })
}

/** Answers the program with a line once it has shown the address. */
async function pasting(child: ChildProcess, answer: (url: string) => Promise<string>) {
  const done = ending(child)
  const url = await addressFrom(child, /press Enter/)
  child.stdin?.write(`${await answer(url)}\n`)
  return done
}

describe("reverie login chatgpt", () => {
  test("signs in through the browser, shows it, and logout removes it", async () => {
    const { run, runHere, accountOf, journal, issuer, paths } = await open()
    expect(await accountOf("chatgpt")).toMatchObject({ state: "signed-out" })
    const signedIn = await run("login", "chatgpt")
    expect(signedIn).toMatchObject({ code: 0, stdout: "" })
    expect(signedIn.stderr).toMatch(/Signed in with ChatGPT as ada@example\.org \(plus\)\.\n$/)
    expect(await accountOf("chatgpt")).toMatchObject({
      state: "signed-in",
      email: "ada@example.org",
      plan: "plus",
      accountId: "acc-7",
    })
    expect((await runHere("login")).stdout).toMatch(/^chatgpt +signed in +as ada@example\.org \(plus\)$/m)
    expect(statSync(paths.credentialsFile).mode & 0o777).toBe(0o600)
    const out = await runHere("logout", "chatgpt")
    expect(out).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Signed out of ChatGPT/) })
    expect(issuer.revoked).toHaveLength(1)
    expect(readFileSync(paths.credentialsFile, "utf8")).not.toMatch(/Token/)
    expect(await accountOf("chatgpt")).toMatchObject({ state: "signed-out" })
    expect(await journal()).toMatchObject([
      { kind: "credential.saved", subject: "chatgpt" },
      { kind: "credential.removed", subject: "chatgpt" },
    ])
    expect(await runHere("logout", "chatgpt")).toMatchObject({
      stderr: expect.stringMatching(/nothing to remove/),
    })
  })

  test("does without a browser of its own: the address is shown, and followed elsewhere", async () => {
    const { start } = await open({ browser: false })
    const child = start("login", "chatgpt")
    const done = ending(child)
    await fetch(await addressFrom(child, /Ctrl-C cancels/))
    expect(await done).toMatchObject({ code: 0, stderr: expect.stringMatching(/Signed in with ChatGPT/) })
  })

  test("takes a pasted address or code with --no-browser", async () => {
    const { start, accountOf, run } = await open()
    const whole = await pasting(start("login", "chatgpt", "--no-browser"), destinationOf)
    expect(whole).toMatchObject({ code: 0, stdout: "" })
    expect(await accountOf("chatgpt")).toMatchObject({ state: "signed-in" })
    const code = async (url: string) => new URL(await destinationOf(url)).searchParams.get("code") ?? ""
    expect(await pasting(start("login", "chatgpt", "--no-browser"), code)).toMatchObject({ code: 0 })
    const wrong = await pasting(start("login", "chatgpt", "--no-browser"), async () => "nonsense")
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/reverie: OpenAI gave no tokens/) })
    const nothing = await run("login", "chatgpt", "--no-browser")
    expect(nothing).toMatchObject({ code: 1, stderr: expect.stringMatching(/reverie: Nothing was pasted/) })
    expect(await accountOf("chatgpt")).toMatchObject({ state: "signed-in" })
  })

  test("ends with one sentence when it is denied or twisted", async () => {
    const { run, issuer, accountOf, journal } = await open()
    issuer.script.denial = { error: "access_denied" }
    const denied = await run("login", "chatgpt")
    expect(denied).toMatchObject({ code: 1, stderr: expect.stringMatching(/\nreverie: .* denied .*\.\n$/) })
    issuer.script.denial = undefined
    issuer.script.twistsState = true
    const twisted = await run("login", "chatgpt")
    expect(twisted).toMatchObject({ code: 1, stderr: expect.stringMatching(/\nreverie: .* state .*\.\n$/) })
    expect(await accountOf("chatgpt")).toMatchObject({ state: "signed-out" })
    expect(await journal()).toEqual([])
  })

  test.for([
    [["--no-browser"], /press Enter/],
    [[], /Ctrl-C cancels/],
  ] as const)("is called off by Ctrl-C (%s)", async ([options, waits]) => {
    const { start, accountOf, journal } = await open({ browser: false })
    const child = start("login", "chatgpt", ...options)
    const done = ending(child)
    await addressFrom(child, waits)
    child.kill("SIGINT")
    expect(await done).toMatchObject({ code: 130, stderr: expect.stringMatching(/Cancelled; nothing was/) })
    expect(await accountOf("chatgpt")).toMatchObject({ state: "signed-out" })
    expect(await journal()).toEqual([])
  })

  test("renews what is due, marks what has ended, and keeps it", async () => {
    const { run, runHere, issuer, accountOf, json, paths } = await open({ script: { seconds: 20 } })
    expectSentence(await runHere("login", "--check"), 1, /^reverie: You are not signed in with ChatGPT; run/)
    await run("login", "chatgpt")
    issuer.script.renewedSeconds = 20
    const works = { code: 0, stderr: "The ChatGPT sign-in works.\n" }
    expect(await runHere("login", "chatgpt", "--check")).toMatchObject(works)
    issuer.script.renewedSeconds = 3600
    for (const _ of [1, 2]) expect(await runHere("login", "--check")).toMatchObject(works)
    expect(issuer.asked).toEqual(["authorization_code", "refresh_token", "refresh_token"])
    const kept = JSON.parse(readFileSync(paths.credentialsFile, "utf8"))
    const old = { ...kept, chatgpt: { ...kept.chatgpt, expiresAt: 0 } }
    writeFileSync(paths.credentialsFile, JSON.stringify(old))
    issuer.endAll()
    expectSentence(
      await runHere("login", "--check"),
      1,
      /has ended \(Your session has ended\); run `.*reverie'? login/,
    )
    expect(await accountOf("chatgpt")).toMatchObject({
      state: "needs-sign-in",
      reason: "Your session has ended.",
    })
    const { refreshToken } = JSON.parse(readFileSync(paths.credentialsFile, "utf8")).chatgpt
    expect(refreshToken).toBe(kept.chatgpt.refreshToken)
    const { checks } = await json<{ checks: { id: string }[] }>("doctor")
    expect(checks.find(({ id }) => id === "sign-in")).toMatchObject({
      ok: false,
      fixHint: "Run `reverie login chatgpt`.",
    })
  })

  test("goes to no issuer that others could listen to", async () => {
    const env = { ...noKeys, REVERIE_OPENAI_ISSUER: "http://auth.example.org" }
    const { run } = createPlainInstallation({ env })
    expectSentence(await run("login", "chatgpt"), 1, /REVERIE_OPENAI_ISSUER must be an https address/)
  })

  test("takes another port where the usual ones are taken", async () => {
    for (const port of [1455, 1457]) {
      const server = createServer().on("error", () => undefined)
      server.listen(port, "127.0.0.1")
      onTestFinished(() => void server.close())
    }
    const { run } = await open()
    expect(await run("login", "chatgpt")).toMatchObject({ code: 0 })
  })
})

describe("Keys of providers", () => {
  const withKey = async ({ start }: Installation, account: string, key: string) => {
    const child = start("login", account, "--with-key")
    child.stdin?.end(`${key}\n`)
    return ending(child)
  }

  test("are read from standard input, refused in a sentence if wrong, and removed", async () => {
    const { installation, accountOf, journal, run, runHere, paths } = await open()
    expect(await accountOf("openai")).toMatchObject({ state: "missing", variable: "OPENAI_API_KEY" })
    expectSentence(await withKey(installation, "anthropic", openaiKey), 2, /That is a key of OpenAI/)
    expectSentence(await withKey(installation, "openai", ""), 2, /The key is empty/)
    expectSentence(await run("login", "openai"), 2, /pipe it in and give --with-key/)
    expectSentence(await run("login", "chatgpt", "--with-key"), 2, /--with-key needs openai/)
    expectSentence(await run("login", "openai", "--no-browser"), 2, /--no-browser is for chatgpt/)
    expectSentence(await withKey(installation, "openai", openaiKey), 0, /^Saved the key of OpenAI\.$/m)
    expect(await accountOf("openai")).toMatchObject({ state: "saved", from: "file" })
    expect(statSync(paths.credentialsFile).mode & 0o777).toBe(0o600)
    expectSentence(await runHere("logout", "openai"), 0, /^Removed the key of OpenAI\.$/m)
    expect(readFileSync(paths.credentialsFile, "utf8")).not.toContain(openaiKey)
    expect(await journal()).toMatchObject([
      { kind: "credential.saved", subject: "openai" },
      { kind: "credential.removed", subject: "openai" },
    ])
  })

  test("of the environment win", async () => {
    const installation = createPlainInstallation({ env: { ...noKeys, OPENAI_API_KEY: "sk-given" } })
    const saved = await withKey(installation, "openai", openaiKey)
    expect(saved).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/OPENAI_API_KEY is set and takes precedence/),
    })
    const { accounts } = await installation.json<Accounts>("login")
    expect(accounts).toContainEqual({
      id: "openai",
      kind: "key",
      state: "saved",
      from: "environment",
      variable: "OPENAI_API_KEY",
    })
  })

  test("are typed at a terminal without being shown, or called off", async () => {
    const { home, json } = createPlainInstallation({ env: noKeys })
    const env = { ...process.env, ...noKeys, REVERIE_HOME: home, REVERIE_DATABASE_URL: "" }
    /** Types this when the question has come. */
    const typing = (keys: string) => {
      const child = spawn("script", ["-qec", `'${program}' login openai`, "/dev/null"], { env })
      onTestFinished(() => void child.kill("SIGKILL"))
      child.stdout.on("data", (chunk) => {
        if (String(chunk).includes("press Enter")) child.stdin.write(keys)
      })
      return ending(child)
    }
    expect(await typing("\u0003")).toMatchObject({ code: 130, stdout: expect.stringMatching(/Cancelled/) })
    const { code, stdout } = await typing(`${openaiKey}\r`)
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/Saved the key of OpenAI/),
    })
    expect(stdout).not.toContain(openaiKey.slice(-20))
    expect(JSON.stringify(await json("login"))).toMatch(/"from":"file"/)
  })
})

test("reverie login claude says in a sentence that it is the user's own program", async () => {
  const { run, runHere } = await open()
  expectSentence(await run("login", "claude"), 0, /^Reverie uses your own claude program .*\/login there\.$/m)
  expectSentence(await runHere("logout", "claude"), 2, /stores no sign-in for Claude/)
  expect(await run("login", "nobody")).toMatchObject({ code: 2 })
})

describe("Secrets of sign-ins", () => {
  test("are in one file only, and in nothing that is said, logged, noted, exported or copied", async () => {
    const { run, runHere, start, issuer, daemon, home, paths, installation } = await open({
      script: { seconds: 60 },
    })
    writeFileSync(join(home, "config.toml"), '[embedding]\nmodel = "none"\n[log]\nlevel = "debug"\n')
    await daemon()
    const said: unknown[] = []
    const say = async (work: Promise<unknown>) => said.push(await work)
    await say(run("login", "chatgpt"))
    await say(run("login", "chatgpt"))
    const child = start("login", "openrouter", "--with-key")
    const routerKey = `sk-or-v1-${"9f".repeat(20)}`
    child.stdin?.end(routerKey)
    await say(ending(child))
    await say(runHere("login", "--check"))
    const kept = JSON.parse(readFileSync(paths.credentialsFile, "utf8"))
    const due = { ...kept, chatgpt: { ...kept.chatgpt, expiresAt: 0 } }
    writeFileSync(paths.credentialsFile, JSON.stringify(due))
    for (const fault of ["unknown-refusal", "cut", "busy"] as const) {
      issuer.script.fault = fault
      await say(runHere("login", "--check", "--json"))
    }
    issuer.script.fault = "none"
    issuer.endAll()
    await say(runHere("login", "--check"))
    for (const command of ["login", "doctor", "status", "journal"]) await say(runHere(command, "--json"))
    await say(runHere("logs"))
    await say(runHere("snapshot", "take"))
    await say(runHere("memory", "export", join(home, "export.json")))
    const secrets = [...issuer.secrets.filter((secret) => !secret.startsWith("ac_")), routerKey]
    expect(secrets.length).toBeGreaterThan(8)
    const found = (text: string) => secrets.filter((secret) => text.includes(secret))
    expect(found(readFileSync(paths.credentialsFile, "latin1")).length).toBeGreaterThan(2)
    expect(JSON.stringify(said)).toContain("credential.saved")
    expect(found(JSON.stringify(said))).toEqual([])
    for (const file of filesBelow(installation.home)) {
      if (file !== paths.credentialsFile)
        expect([file, found(readFileSync(file, "latin1"))]).toEqual([file, []])
    }
  })

  function filesBelow(folder: string): string[] {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  }
})

describe("A broken file of credentials", () => {
  test("is left alone and named in a sentence, and nothing else stops working", async () => {
    const { runHere, paths } = await open()
    mkdirSync(paths.dataDir, { recursive: true })
    writeFileSync(paths.credentialsFile, "{ not json")
    for (const args of [["login"], ["logout", "chatgpt"], ["login", "--check"]])
      expectSentence(
        await runHere(...args),
        1,
        /credentials\.json has unexpected content; fix it, or move it/,
      )
    expect(readFileSync(paths.credentialsFile, "utf8")).toBe("{ not json")
    expect(await runHere("memory", "add", "still here")).toMatchObject({ code: 0 })
    expect(await runHere("doctor")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/sign-in +.*fix it/),
    })
  })
})
