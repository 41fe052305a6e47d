import { readFileSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createPlainInstallation } from "../../testkit/program/program.ts"

interface Asked {
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: unknown
}

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Asks without fetch, which would not let us lie about host and origin. */
function ask(
  url: string,
  { method = "GET", path = "/v1/status", headers = {}, body }: Asked,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const type =
      text === undefined ? {} : { "content-type": "application/json", "content-length": String(text.length) }
    const sent = request(`${url}${path}`, { method, headers: { ...type, ...headers } }, (answer) => {
      let said = ""
      answer.on("data", (chunk) => {
        said += chunk
      })
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: said }))
    })
    sent.on("error", reject)
    sent.end(text)
  })
}

async function running(config = "") {
  const installation = createPlainInstallation()
  writeFileSync(
    join(installation.home, "config.toml"),
    `[embedding]\nmodel = "none"\n\n[api]\nport = 0\n${config}`,
  )
  const daemon = await installation.daemonHere()
  return { installation, daemon }
}

const codeIn = (url: string) => /#sign-in=([\w-]+)$/.exec(url)?.[1] ?? ""

async function signedIn() {
  const { installation, daemon } = await running()
  const { url, address } = await daemon.client.webLink()
  const headers = { origin: address }
  const answer = await ask(address, {
    method: "POST",
    path: "/web/sign-in",
    headers,
    body: { code: codeIn(url) },
  })
  const [set = ""] = [answer.headers["set-cookie"]].flat()
  const cookie = set.split(";")[0] ?? ""
  const { pageKey } = JSON.parse(answer.body)
  return {
    installation,
    daemon,
    url,
    address,
    set,
    cookie,
    pageKey,
    own: { cookie, "x-reverie-page": pageKey },
  }
}

test("a link signs one browser in, once; the cookie is out of scripts' reach and stays on our site", async () => {
  const { address, url, set, own } = await signedIn()
  expect(set).toMatch(/^reverie-\d+=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
  expect(set).toContain(`reverie-${new URL(address).port}=`)
  expect(await ask(address, { headers: own })).toMatchObject({ status: 200 })
  const again = await ask(address, {
    method: "POST",
    path: "/web/sign-in",
    headers: { origin: address },
    body: { code: codeIn(url) },
  })
  expect(again).toMatchObject({ status: 401, body: expect.stringContaining("reverie web") })
  expect(again.headers["set-cookie"]).toBeUndefined()
})

test("the cookie without the page's key opens nothing, nor the key without the cookie, nor a made-up cookie", async () => {
  const { address, cookie, pageKey } = await signedIn()
  const [name = "", value = ""] = cookie.split("=")
  const [id = "", , signature = ""] = value.split(".")
  const later = `${name}=${id}.${Date.now() * 2}.${signature}`
  for (const headers of [
    { cookie },
    { "x-reverie-page": pageKey },
    { cookie: `reverie-1=${value}`, "x-reverie-page": pageKey },
    { cookie: later, "x-reverie-page": pageKey },
    { cookie, "x-reverie-page": `${pageKey}x` },
  ])
    expect(await ask(address, { headers }), JSON.stringify(Object.keys(headers))).toMatchObject({
      status: 401,
    })
})

test("what changes something must come from our own page, and other pages get nothing", async () => {
  const { address, own, daemon } = await signedIn()
  const add = { method: "POST", path: "/v1/memories", body: { content: "Planted by another page" } }
  const other = "http://127.0.0.1:1"
  for (const headers of [
    own,
    { ...own, origin: "https://evil.example" },
    { ...own, origin: other },
    { ...own, origin: "null" },
    { ...own, origin: address, "sec-fetch-site": "cross-site" },
    { ...own, origin: address, "sec-fetch-site": "same-site" },
  ])
    expect(await ask(address, { ...add, headers })).toMatchObject({ status: 403 })
  const read = { headers: { ...own, "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" } }
  expect(await ask(address, read)).toMatchObject({ status: 403 })
  expect(await ask(address, { headers: { ...own, host: "evil.example" } })).toMatchObject({ status: 403 })
  expect((await daemon.client.list({})).memories).toEqual([])
  const fromOurs = { ...own, origin: address, "sec-fetch-site": "same-origin" }
  expect(await ask(address, { ...add, headers: fromOurs })).toMatchObject({ status: 200 })
})

test("a code is worth nothing to whoever asks from another page", async () => {
  const { daemon } = await running()
  const { url, address } = await daemon.client.webLink()
  const asked = { method: "POST", path: "/web/sign-in", body: { code: codeIn(url) } }
  for (const headers of [
    {},
    { origin: "https://evil.example" },
    { origin: address, "sec-fetch-site": "cross-site" },
  ])
    expect(await ask(address, { ...asked, headers })).toMatchObject({ status: 403 })
  expect(await ask(address, { ...asked, headers: { origin: address } })).toMatchObject({ status: 200 })
})

test("a browser cannot make further links, reach MCP or hooks, and an agent can make none at all", async () => {
  const { address, own, installation } = await signedIn()
  const headers = { ...own, origin: address }
  for (const path of ["/v1/web/links", "/mcp", "/v1/hooks/claude-code/Stop"])
    expect(await ask(address, { method: "POST", path, headers, body: {} }), path).toMatchObject({
      status: 401,
    })
  const { token } = JSON.parse(readFileSync(installation.paths.installFile, "utf8"))
  const agent = { authorization: `Bearer ${token}`, "x-reverie-actor": "mcp" }
  expect(
    await ask(address, { method: "POST", path: "/v1/web/links", headers: agent, body: {} }),
  ).toMatchObject({
    status: 403,
  })
})

test("the page allows no foreign script, style, frame or request, and files beside it are not served", async () => {
  const { daemon, installation } = await running()
  const { address } = await daemon.client.webLink()
  const page = await ask(address, { path: "/memory/m_1" })
  expect(page.status).toBe(200)
  const policy = String(page.headers["content-security-policy"])
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain("unsafe")
  expect(page.body).not.toMatch(/<script(?![^>]* src=)|<style|style="|https?:\/\//)
  const { token } = JSON.parse(readFileSync(installation.paths.installFile, "utf8"))
  for (const path of [
    "/../command-line.js",
    "/%2e%2e/main.js",
    "/..%2f..%2fpackage.json",
    "/assets/../../main.js",
    "/command-line.js",
  ]) {
    const answer = await ask(address, { path })
    expect([200, 404]).toContain(answer.status)
    if (answer.status === 200) expect(answer.body, path).toBe(page.body)
    expect(answer.body).not.toContain(token)
  }
})

test("`reverie web --print` prints the link; without a daemon or without the loopback address it says so", async () => {
  const { installation } = await running()
  const printed = await installation.run("web", "--print")
  expect(printed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#sign-in=[\w-]{32}\n$/),
  })
  expect(await installation.json("web", "--print")).toMatchObject({
    schemaVersion: 1,
    url: expect.stringContaining("#sign-in="),
  })
  const still = createPlainInstallation()
  expect(await still.run("web", "--print")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("not running"),
  })
  const closed = await running("http = false\n")
  expect(await closed.installation.run("web", "--print")).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("api.http"),
  })
})

test("a browser stays signed in over a restart of the daemon, and not at another installation", async () => {
  const { installation, daemon, cookie, pageKey } = await signedIn()
  const at = (address: string) => ({
    cookie: cookie.replace(/^reverie-\d+/, `reverie-${new URL(address).port}`),
    "x-reverie-page": pageKey,
  })
  await daemon.stop()
  const { address } = await (await installation.daemonHere()).client.webLink()
  expect(await ask(address, { headers: at(address) })).toMatchObject({ status: 200 })
  const other = await running()
  const { address: elsewhere } = await other.daemon.client.webLink()
  expect(await ask(elsewhere, { headers: at(elsewhere) })).toMatchObject({ status: 401 })
})
