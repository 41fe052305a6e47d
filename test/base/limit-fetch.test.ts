import { describe, expect, test } from "vitest"
import { limitFetch } from "../../src/base/net/limit-fetch.ts"
import { isLoopback, isSafeForKeys, problemWithAddress } from "../../src/base/net/web-address.ts"
import { serveHostile } from "../../testkit/hostile/hostile-server.ts"

const limits = { mostBytes: 1024 * 1024, redirects: "same-origin" } as const
const post = { method: "POST", headers: { authorization: "Bearer key" }, body: "words" }

/** Redirects /old to a place, and answers everything else. */
function serveMoved(status: number, place: (url: string) => string) {
  return serveHostile(({ path, headers }, response) => {
    const url = `http://${headers.host}`
    if (path === "/old") response.writeHead(status, { location: place(url) }).end()
    else response.end("x".repeat(100))
  })
}

describe("A limited fetch", () => {
  test.each([307, 308])("posts again at the same origin where %i says so, with its key", async (status) => {
    const { url, caught } = await serveMoved(status, () => "/new")
    const response = await limitFetch(fetch, limits)(`${url}/old`, post)
    expect(await response.text()).toHaveLength(100)
    const asked = { method: "POST", path: "/new", body: "words", headers: { authorization: "Bearer key" } }
    expect(caught.at(-1)).toMatchObject(asked)
  })

  test.each([301, 302, 303])(
    "fetches at the same origin where %i says so, as browsers do",
    async (status) => {
      const { url, caught } = await serveMoved(status, (own) => `${own}/new`)
      await limitFetch(fetch, limits)(`${url}/old`, post)
      expect(caught.at(-1)).toMatchObject({ method: "GET", path: "/new", body: "" })
    },
  )

  test("takes no key along where another origin is allowed", async () => {
    const other = await serveMoved(307, () => "/old")
    const { url } = await serveMoved(307, () => `${other.url}/new`)
    await limitFetch(fetch, { ...limits, redirects: "anywhere" })(`${url}/old`, { headers: post.headers })
    expect(other.caught).toMatchObject([{ path: "/new" }])
    expect(other.caught[0]?.headers.authorization).toBeUndefined()
  })

  test("follows nothing where nothing may be followed", async () => {
    const { url, caught } = await serveMoved(307, () => "/new")
    const asked = limitFetch(fetch, { ...limits, redirects: "nowhere" })(`${url}/old`, post)
    await expect(asked).rejects.toThrow(/redirects to/)
    expect(caught).toHaveLength(1)
  })

  test("gives answers of every length up to the limit, and none beyond", async () => {
    const { url } = await serveMoved(307, () => "/new")
    expect(await (await limitFetch(fetch, { ...limits, mostBytes: 100 })(url)).text()).toHaveLength(100)
    const tooLong = await limitFetch(fetch, { ...limits, mostBytes: 99 })(url)
    await expect(tooLong.text()).rejects.toThrow(/sent more than/)
  })
})

test("Addresses are known by what they lead to, not by how they are written", () => {
  const here = [
    "http://localhost:1/",
    "http://127.8.9.1/",
    "http://[::1]/",
    "http://2130706433/",
    "http://a.localhost./",
  ]
  const away = [
    "http://192.168.1.5/",
    "https://localhost.example/",
    "http://127.0.0.1.example/",
    "http://0.0.0.0/",
  ]
  expect(here.map(isLoopback)).toEqual(here.map(() => true))
  expect(away.map(isLoopback)).toEqual(away.map(() => false))
  expect(away.map(isSafeForKeys)).toEqual([false, true, false, false])
  expect([...here, ...away].map(problemWithAddress)).toEqual([...here, ...away].map(() => undefined))
  expect(problemWithAddress("http://[::ffff:169.254.1.1]/")).toMatch(/link-local/)
})
