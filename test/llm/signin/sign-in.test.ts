import { existsSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { networkInterfaces } from "node:os"
import { dirname } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { signInByBrowser, signInByPaste } from "../../../src/llm/signin/sign-in.ts"
import { browse, destinationOf } from "../../../testkit/browse.ts"
import { openChatgptWorld } from "../../../testkit/worlds/chatgpt-world.ts"

describe("Signing in with ChatGPT by the browser", () => {
  test("keeps the tokens with account, plan and address, readable by their owner only", async () => {
    const { signIn, kept, needs, clock, issuer } = await openChatgptWorld({ seconds: 600 })
    let shown = { status: 0, text: "" }
    const result = await signIn(async (url) => {
      shown = await browse(url)
    })
    expect(result).toMatchObject({ outcome: "signed-in", chatgpt: { email: "ada@example.org" } })
    expect(kept().chatgpt).toMatchObject({
      accountId: "acc-7",
      plan: "plus",
      email: "ada@example.org",
      expiresAt: clock.now() + 600_000,
      refreshedAt: clock.now(),
      needsSignIn: false,
    })
    expect(statSync(needs.credentialsFile).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(needs.credentialsFile)).mode & 0o777).toBe(0o700)
    await expect.poll(() => shown).toMatchObject({ status: 200, text: expect.stringMatching(/signed in/) })
    expect(issuer.asked).toEqual(["authorization_code"])
    expect(clock.waiting).toBe(0)
  })

  test("refuses what comes back with another state", async () => {
    const { signIn, needs, issuer } = await openChatgptWorld({ twistsState: true })
    let shown = { status: 0, text: "" }
    const result = await signIn(async (url) => {
      shown = await browse(url)
    })
    expect(result).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/its state is wrong/) })
    await expect
      .poll(() => shown)
      .toMatchObject({ status: 400, text: expect.stringMatching(/not signed in/) })
    expect(issuer.asked).toEqual([])
    expect(existsSync(needs.credentialsFile)).toBe(false)
  })

  test("says so when it was denied, or failed in OpenAI's words", async () => {
    const { signIn, needs, issuer } = await openChatgptWorld({ denial: { error: "access_denied" } })
    expect(await signIn()).toMatchObject({ reason: expect.stringMatching(/^Signing in was denied/) })
    issuer.script.denial = { error: "missing_plan", description: "<b>No plan</b> for\u001b[1m you." }
    let shown = ""
    const result = await signIn(async (url) => {
      shown = (await browse(url)).text
    })
    expect(result).toMatchObject({ reason: expect.stringMatching(/\(<b>No plan<\/b> for\\x1b\[1m you\)/) })
    await expect.poll(() => shown).toMatch(/&#60;b&#62;No plan/)
    expect(existsSync(needs.credentialsFile)).toBe(false)
  })

  test("ends after ten minutes, and the port is free again", async () => {
    const { signIn, clock } = await openChatgptWorld()
    let address = ""
    const result = signIn((url) => {
      address = new URL(url).searchParams.get("redirect_uri") ?? ""
    })
    await expect.poll(() => address).not.toBe("")
    await clock.advance(10 * 60_000 - 1)
    expect((await fetch(new URL("/favicon.ico", address))).status).toBe(404)
    await clock.advance(1)
    expect(await result).toMatchObject({ outcome: "refused", reason: expect.stringMatching(/10 minutes/) })
    await expect(fetch(address)).rejects.toThrow()
  })

  test("can be called off", async () => {
    const { signIn, clock } = await openChatgptWorld()
    const controller = new AbortController()
    expect(await signIn(() => controller.abort(), controller.signal)).toEqual({ outcome: "cancelled" })
    expect(clock.waiting).toBe(0)
  })

  test.for(["busy", "cut", "nonsense"] as const)("an issuer that is %s is no sign-in", async (fault) => {
    const { signIn, needs } = await openChatgptWorld({ fault })
    expect(await signIn()).toMatchObject({ reason: expect.stringMatching(/cannot be asked for tokens now/) })
    expect(existsSync(needs.credentialsFile)).toBe(false)
  })

  test("an account without ChatGPT is told so", async () => {
    const { signIn } = await openChatgptWorld({ hasAccount: false })
    expect(await signIn()).toMatchObject({ reason: expect.stringMatching(/contains no ChatGPT account/) })
  })

  test("listens on this machine's own addresses only", async () => {
    const { signIn, clock } = await openChatgptWorld()
    const others = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4")
    let port = ""
    const result = signIn((url) => {
      port = new URL(new URL(url).searchParams.get("redirect_uri") ?? "").port
    })
    await expect.poll(() => port).not.toBe("")
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
    for (const { address } of others) await expect(fetch(`http://${address}:${port}/`)).rejects.toThrow()
    await clock.advance(10 * 60_000)
    await result
  })

  test("takes the second port if the first is taken, and names who has them if both are", async () => {
    const { needs } = await openChatgptWorld()
    const [first, second] = [await busyPort(), await busyPort()]
    const all = { ...needs, signal: new AbortController().signal }
    const reached = signInByBrowser({ ...all, show: browse }, [first, 0])
    expect(await reached).toMatchObject({ outcome: "signed-in" })
    const refused = signInByBrowser({ ...all, show: browse }, [first, second])
    const holder = `by [^,]+, pid ${process.pid}`
    await expect(refused).rejects.toThrow(
      new RegExp(`^Ports ${first} \\(${holder}\\) and ${second} \\(${holder}\\) are taken`),
    )
  })
})

describe("Signing in with ChatGPT by pasting", () => {
  const pasted = async (paste: (url: string) => Promise<string | undefined>) => {
    const world = await openChatgptWorld()
    let url = ""
    const show = (shown: string) => {
      url = shown
    }
    const all = { ...world.needs, signal: new AbortController().signal, show }
    return { ...world, result: await signInByPaste(all, () => paste(url)) }
  }

  test.for([
    ["the whole address", (address: string) => `  ${address}\n`],
    ["what follows its question mark", (address: string) => address.replace(/^[^?]*\?/, "")],
    ["the code alone", (address: string) => new URL(address).searchParams.get("code") ?? ""],
  ] as const)("takes %s", async ([, cut]) => {
    const { result, kept } = await pasted(async (url) => cut(await destinationOf(url)))
    expect(result).toMatchObject({ outcome: "signed-in" })
    expect(kept().chatgpt).toMatchObject({ accountId: "acc-7" })
  })

  test("refuses another sign-in's address, a wrong code and nothing at all", async () => {
    const twisted = async (url: string) => (await destinationOf(url)).replace(/state=[^&]+/, "state=x")
    expect((await pasted(twisted)).result).toMatchObject({ reason: expect.stringMatching(/state is wrong/) })
    const wrong = await pasted(async () => "ac_nothing_of_the_kind")
    expect(wrong.result).toMatchObject({ reason: expect.stringMatching(/gave no tokens \(The code is not/) })
    for (const nothing of ["", " ", undefined]) {
      const { result } = await pasted(async () => nothing)
      expect(result).toMatchObject({ reason: expect.stringMatching(/^Nothing was pasted/) })
    }
  })
})

async function busyPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return address.port
}
