import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, onTestFinished, test } from "vitest"
import { systemClock } from "../../../src/base/clock.ts"
import { openChatgpt, signOut } from "../../../src/llm/signin/chatgpt.ts"
import { openChatgptWorld } from "../../../testkit/worlds/chatgpt-world.ts"

const minute = 60_000

/** Somebody signed in, with tokens that are good for ten minutes. */
async function signedIn() {
  const world = await openChatgptWorld({ seconds: 600 })
  await world.signIn()
  const first = String(world.kept().chatgpt?.accessToken)
  return { ...world, first, chatgpt: openChatgpt(world.needs) }
}

describe("A ChatGPT token", () => {
  test("is given as it is while it lasts, and renewed five minutes before its end", async () => {
    const { chatgpt, clock, issuer, first, kept } = await signedIn()
    await clock.advance(5 * minute - 1)
    expect(await chatgpt.access()).toEqual({ outcome: "valid", accessToken: first, accountId: "acc-7" })
    expect(issuer.asked).toEqual(["authorization_code"])
    await clock.advance(1)
    const access = await chatgpt.access()
    expect(access).toEqual({
      outcome: "valid",
      accessToken: kept().chatgpt?.accessToken,
      accountId: "acc-7",
    })
    expect(access).not.toMatchObject({ accessToken: first })
    expect(kept().chatgpt).toMatchObject({ refreshedAt: clock.now(), expiresAt: clock.now() + 60 * minute })
  })

  test("is renewed once for many who ask at the same time", async () => {
    const { chatgpt, clock, issuer } = await signedIn()
    await clock.advance(6 * minute)
    const answers = await Promise.all(Array.from({ length: 20 }, () => chatgpt.access()))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(issuer.asked).toEqual(["authorization_code", "refresh_token"])
  })

  test("keeps its refresh token where the issuer gives no other", async () => {
    const { chatgpt, clock, issuer, kept } = await signedIn()
    issuer.script.rotates = false
    const before = kept().chatgpt?.refreshToken
    await clock.advance(6 * minute)
    expect(await chatgpt.access()).toMatchObject({ outcome: "valid" })
    expect(kept().chatgpt).toMatchObject({ refreshToken: before, email: "ada@example.org", plan: "plus" })
  })

  test.for([
    ["cut", "unreachable"],
    ["busy", "overloaded"],
    ["limited", "rate-limited"],
    ["nonsense", "malformed"],
    ["unknown-refusal", "auth"],
  ] as const)("survives an issuer that is %s", async ([fault, kind]) => {
    const { chatgpt, clock, issuer, first, kept, needs } = await signedIn()
    const before = readFileSync(needs.credentialsFile, "utf8")
    issuer.script.fault = fault
    await clock.advance(9 * minute)
    expect(await chatgpt.access()).toMatchObject({ outcome: "valid", accessToken: first })
    await clock.advance(2 * minute)
    const answer = await chatgpt.access()
    expect(answer).toMatchObject({ outcome: "failed", failure: { kind } })
    expect(JSON.stringify(answer)).not.toContain(String(kept().chatgpt?.refreshToken).split(".")[0])
    expect(readFileSync(needs.credentialsFile, "utf8")).toBe(before)
    issuer.script.fault = "none"
    expect(await chatgpt.access()).toMatchObject({ outcome: "valid" })
  })

  test("is not waited for longer than half a minute", async () => {
    const { chatgpt, clock, issuer } = await signedIn()
    issuer.script.fault = "never-answers"
    await clock.advance(11 * minute)
    const answer = chatgpt.access()
    await expect.poll(() => issuer.asked.length).toBe(2)
    await clock.advance(30_000)
    expect(await answer).toMatchObject({
      outcome: "failed",
      failure: { kind: "unreachable", message: expect.stringMatching(/took too long/) },
    })
  })

  test("that the issuer ended is marked and kept, used while it lasts, and not asked for again", async () => {
    const { chatgpt, clock, issuer, first, kept, signIn } = await signedIn()
    issuer.endAll()
    const refreshToken = kept().chatgpt?.refreshToken
    await clock.advance(6 * minute)
    expect(await chatgpt.access()).toMatchObject({ outcome: "valid", accessToken: first })
    expect(kept().chatgpt).toMatchObject({
      accessToken: first,
      refreshToken,
      needsSignIn: true,
      reason: "Your session has ended.",
    })
    await clock.advance(5 * minute)
    expect(await chatgpt.access()).toEqual({
      outcome: "failed",
      failure: {
        kind: "auth",
        message: "The ChatGPT sign-in has ended (Your session has ended); run `reverie login chatgpt`.",
      },
    })
    expect(issuer.asked).toEqual(["authorization_code", "refresh_token"])
    await signIn()
    expect(await chatgpt.access()).toMatchObject({ outcome: "valid" })
    expect(kept().chatgpt).toMatchObject({ needsSignIn: false, reason: null })
  })

  test("that somebody without our lock renewed meanwhile is taken over", async () => {
    const { chatgpt, clock, issuer, kept, needs } = await signedIn()
    await clock.advance(6 * minute)
    const held = Promise.withResolvers<void>()
    issuer.script.hold = held.promise
    const answer = chatgpt.access()
    await expect.poll(() => issuer.asked.length).toBe(2)
    const theirs = { ...kept().chatgpt, accessToken: "theirs", refreshToken: "rt_theirs.1" }
    const expiresAt = clock.now() + 60 * minute
    writeFileSync(needs.credentialsFile, JSON.stringify({ chatgpt: { ...theirs, expiresAt } }))
    issuer.endAll()
    held.resolve()
    expect(await answer).toMatchObject({ outcome: "valid", accessToken: "theirs" })
    expect(kept().chatgpt).toMatchObject({ refreshToken: "rt_theirs.1", needsSignIn: false })
  })

  test("is missing in one sentence where nobody signed in, or the file is broken", async () => {
    const { needs, signIn } = await openChatgptWorld()
    expect(await openChatgpt(needs).access()).toMatchObject({
      failure: { kind: "auth", message: expect.stringMatching(/^You are not signed in/) },
    })
    await signIn()
    const whole = readFileSync(needs.credentialsFile, "utf8")
    const broken = whole.slice(0, whole.length / 2)
    writeFileSync(needs.credentialsFile, broken)
    expect(await openChatgpt(needs).access()).toMatchObject({
      failure: { kind: "auth", message: expect.stringMatching(/has unexpected content; fix it/) },
    })
    expect(readFileSync(needs.credentialsFile, "utf8")).toBe(broken)
  })
})

describe("Signing out", () => {
  test("removes the tokens, leaves the rest, and tells the issuer", async () => {
    const { needs, kept, issuer } = await signedIn()
    const refreshToken = kept().chatgpt?.refreshToken
    writeFileSync(needs.credentialsFile, JSON.stringify({ ...kept(), ours: "of a newer version" }))
    expect(await signOut(needs)).toEqual({ wasSignedIn: true, revoked: true })
    expect(kept()).toEqual({ keys: {}, ours: "of a newer version" })
    expect(issuer.revoked).toEqual([refreshToken])
    expect(await signOut(needs)).toEqual({ wasSignedIn: false, revoked: false })
  })

  test("works when the issuer is away", async () => {
    const { needs, kept } = await signedIn()
    const away = { ...needs, issuer: "http://127.0.0.1:1" }
    expect(await signOut(away)).toEqual({ wasSignedIn: true, revoked: false })
    expect(kept().chatgpt).toBeUndefined()
  })
})

describe("Four processes that want a token at the same time", () => {
  const program = fileURLToPath(new URL("../../../testkit/hostile/token-taker.ts", import.meta.url))

  /** Starts them, and lets them ask once all of them are ready. Gives what each says of what it got. */
  async function askAtOnce(world: Awaited<ReturnType<typeof openChatgptWorld>>, times: number) {
    const { url } = world.issuer
    const args = [program, url, world.needs.credentialsFile, String(times)]
    const takers = Array.from({ length: 4 }, () =>
      spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }),
    )
    onTestFinished(() => takers.forEach((taker) => void taker.kill("SIGKILL")))
    const said = takers.map(linesOf)
    await expect.poll(() => said.every((lines) => lines.includes("ready")), { timeout: 30_000 }).toBe(true)
    const held = Promise.withResolvers<void>()
    world.issuer.script.hold = held.promise
    for (const taker of takers) taker.stdin?.end("go\n")
    await expect.poll(() => said.every((lines) => lines.includes("asking")), { timeout: 30_000 }).toBe(true)
    held.resolve()
    await Promise.all(takers.map((taker) => new Promise((resolve) => taker.once("close", resolve))))
    return said.map((lines) => lines.slice(2))
  }

  function linesOf(child: ChildProcess): string[] {
    const lines: string[] = []
    if (child.stdout) createInterface({ input: child.stdout }).on("line", (line) => lines.push(line))
    return lines
  }

  /** These processes live by the machine's clock. */
  async function signedInNow(script: { seconds: number; renewedSeconds: number }) {
    const world = await openChatgptWorld(script)
    await world.clock.advance(systemClock.now() - world.clock.now())
    await world.signIn()
    return world
  }

  test("renew it once, and all get it", async () => {
    const world = await signedInNow({ seconds: 60, renewedSeconds: 3600 })
    const said = await askAtOnce(world, 1)
    expect(world.issuer.asked).toEqual(["authorization_code", "refresh_token"])
    expect(world.issuer.reused).toBe(0)
    expect(said.flat()).toHaveLength(4)
    expect(new Set(said.flat()).size).toBe(1)
    expect(said[0]?.[0]).toMatch(/^valid /)
    expect(world.kept().chatgpt).toMatchObject({ needsSignIn: false })
    expect(existsSync(`${world.needs.credentialsFile}.lock`)).toBe(false)
  })

  test("never use a refresh token twice, however often they renew", async () => {
    const world = await signedInNow({ seconds: 60, renewedSeconds: 60 })
    const said = await askAtOnce(world, 10)
    expect(said.flat()).toHaveLength(40)
    expect(said.flat().every((line) => line.startsWith("valid "))).toBe(true)
    expect(world.issuer.asked.filter((kind) => kind === "refresh_token")).toHaveLength(40)
    expect(world.issuer.reused).toBe(0)
    expect(world.kept().chatgpt).toMatchObject({ needsSignIn: false })
  })
})
