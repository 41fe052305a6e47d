import { readFileSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hookToken } from "../../src/config/install.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"

/** What an attacker wants to read, and what they want to write. */
const secret = "the lighthouse keeper hides the spare key under the heron"
const planted = "planted by the attacker"

const ends: (() => void)[] = []
let door: { port: number; token: string; list(): Promise<string>; answers(): Promise<boolean> }

beforeAll(async () => {
  const installation = createPlainInstallation({ onEnd: (work) => void ends.push(work) })
  const config = join(installation.home, "config.toml")
  writeFileSync(config, '[embedding]\nmodel = "none"\n[api]\nport = 0\n')
  const daemon = await installation.daemon()
  await daemon.client.add({ content: secret })
  const { daemon: info } = await daemon.client.status()
  if (!info.running) throw new Error("not running")
  const { token } = JSON.parse(readFileSync(installation.paths.installFile, "utf8"))
  const list = async () => JSON.stringify((await daemon.client.list({ limit: 100 })).memories)
  const answers = async () => (await daemon.client.status()).daemon.running
  door = { port: Number(new URL(info.url ?? "").port), token, list, answers }
})
afterAll(() => {
  for (const work of ends.reverse()) work()
})

/** Sends bytes and takes all that comes back until the daemon hangs up. */
function send(...parts: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect(door.port, "127.0.0.1")
    let answer = ""
    socket.on("data", (chunk) => {
      answer += chunk
    })
    socket.on("close", () => resolve(answer))
    // A door that hangs up while we still talk is an answer too.
    socket.on("error", () => undefined)
    for (const part of parts) socket.write(part)
  })
}

interface Shape {
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string
}

/** One request as text; the door is asked to hang up afterwards. */
function request({ method = "GET", path = "/v1/memories", headers = {}, body }: Shape): string {
  const all: Record<string, string> = { host: `127.0.0.1:${door.port}`, connection: "close", ...headers }
  if (body !== undefined && !("content-length" in all) && !("transfer-encoding" in all)) {
    all["content-length"] = String(Buffer.byteLength(body))
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body ?? ""}`
}

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
}

/** The answers of one connection, one after the other. */
function statusesOf(answer: string): number[] {
  return [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map((match) => Number(match[1]))
}

const bearer = (token = door.token) => ({ authorization: `Bearer ${token}` })
const add = { method: "POST", body: JSON.stringify({ content: planted }) }

async function expectNothingHappened(answer: string): Promise<void> {
  expect(answer).not.toContain("lighthouse")
  expect(await door.list()).not.toContain(planted)
}

test("the door opens for whoever may come in, so that what follows means something", async () => {
  expect(await send(request({ headers: bearer() }))).toContain(secret)
})

describe("A local program without the token", () => {
  test.each<[string, () => Shape]>([
    ["sends none", () => ({})],
    ["guesses one", () => ({ headers: bearer("x".repeat(43)) })],
    ["sends the beginning of the right one", () => ({ headers: bearer(door.token.slice(0, -1)) })],
    ["sends the right one with something behind it", () => ({ headers: bearer(`${door.token}x`) })],
    ["sends an empty one", () => ({ headers: { authorization: "Bearer " } })],
    ["puts it in the query", () => ({ path: `/v1/memories?token=${door.token}&access_token=${door.token}` })],
    ["puts it in a cookie", () => ({ headers: { cookie: `token=${door.token}` } })],
    ["sends it as a password", () => ({ headers: { authorization: `Basic ${btoa(`x:${door.token}`)}` } })],
    ["sends it in a header of its own", () => ({ headers: { "x-api-key": door.token } })],
    ["has the hooks' token only", () => ({ headers: bearer(hookToken(door.token)) })],
    [
      "climbs out of the hooks by ..",
      () => ({ path: "/v1/hooks/../memories", headers: bearer(hookToken(door.token)) }),
    ],
    [
      "climbs out of the hooks by %2e%2e",
      () => ({ path: "/v1/hooks/%2e%2e/memories", headers: bearer(hookToken(door.token)) }),
    ],
    [
      "climbs out of the hooks by ..%2f",
      () => ({ path: "/v1/hooks/..%2fmemories", headers: bearer(hookToken(door.token)) }),
    ],
    [
      "climbs out of the hooks by backslashes",
      () => ({ path: "/v1/hooks/..\\memories", headers: bearer(hookToken(door.token)) }),
    ],
    ["doubles the slashes", () => ({ path: "//v1//memories" })],
    ["names the host in the first line", () => ({ path: `http://127.0.0.1:${door.port}/v1/memories` })],
    ["writes without asking", () => add],
    [
      "asks over MCP",
      () => ({ method: "POST", path: "/mcp", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' }),
    ],
    [
      "says that it comes from the socket",
      () => ({ headers: { "x-forwarded-for": "127.0.0.1", "x-reverie-actor": "cli" } }),
    ],
  ])("%s", async (_, shape) => {
    const answer = await send(request(shape()))
    expect([400, 401, 403, 404]).toContain(statusOf(answer))
    await expectNothingHappened(answer)
  })
})

describe("A web page that got hold of the token", () => {
  const port = () => door.port
  test.each<[string, () => Shape]>([
    ["under a name of its own", () => ({ headers: { host: `evil.example:${port()}` } })],
    ["under a name that resolves to loopback", () => ({ headers: { host: `127.0.0.1.nip.io:${port()}` } })],
    ["under a name that begins like ours", () => ({ headers: { host: `localhost.evil.example:${port()}` } })],
    [
      "with our name and port as the beginning of its own",
      () => ({ headers: { host: `localhost:${port()}.evil.example` } }),
    ],
    ["on another port", () => ({ headers: { host: "127.0.0.1:80" } })],
    ["without a port", () => ({ headers: { host: "localhost" } })],
    ["under the address of all interfaces", () => ({ headers: { host: `0.0.0.0:${port()}` } })],
    ["under a mapped address", () => ({ headers: { host: `[::ffff:127.0.0.1]:${port()}` } })],
    ["with a user before our name", () => ({ headers: { host: `evil@127.0.0.1:${port()}` } })],
    [
      "with our name in the first line and its own as host",
      () => ({ path: `http://127.0.0.1:${port()}/v1/memories`, headers: { host: "evil.example" } }),
    ],
    ["of another origin", () => ({ headers: { origin: "https://evil.example" } })],
    ["from a sandboxed frame", () => ({ headers: { origin: "null" } })],
    [
      "of an origin that begins like ours",
      () => ({ headers: { origin: `http://127.0.0.1:${port()}.evil.example` } }),
    ],
    ["of another port of this machine", () => ({ headers: { origin: "http://127.0.0.1:3000" } })],
    ["of our host by https", () => ({ headers: { origin: `https://127.0.0.1:${port()}` } })],
    ["from a file", () => ({ headers: { origin: "file://" } })],
    [
      "that writes without a preflight",
      () => ({ ...add, headers: { origin: "https://evil.example", "content-type": "text/plain" } }),
    ],
    [
      "that asks for a web socket",
      () => ({
        headers: {
          origin: "https://evil.example",
          connection: "Upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
        },
      }),
    ],
  ])("asks %s", async (_, shape) => {
    const asked = shape()
    const answer = await send(
      request({ ...asked, headers: { ...bearer(), connection: "close", ...asked.headers } }),
      closing(),
    )
    expect([400, 403]).toContain(statusOf(answer))
    await expectNothingHappened(answer)
  })

  test("asks beforehand whether it may, and is not told that it may", async () => {
    const headers = {
      origin: "https://evil.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
      "access-control-request-private-network": "true",
    }
    const answer = await send(request({ method: "OPTIONS", headers }))
    expect(statusOf(answer)).toBe(403)
    expect(answer.toLowerCase()).not.toContain("access-control-allow")
  })
})

/** A second request that ends the connection, for shapes after which the door would wait. */
function closing(): string {
  return request({ path: "/v1/nothing", headers: { connection: "close" } })
}

describe("A request in a shape that two readers understand differently", () => {
  const inner = () => `GET /v1/memories HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\nConnection: close\r\n\r\n`
  test.each<[string, () => string]>([
    ["two lengths", () => request({ ...add, headers: { "content-length": "5\r\ncontent-length: 40" } })],
    [
      "a length and chunks",
      () =>
        request({
          ...add,
          headers: { "content-length": "5", "transfer-encoding": "chunked" },
          body: `0\r\n\r\n${inner()}`,
        }),
    ],
    [
      "an unknown transfer coding",
      () => request({ ...add, headers: { "transfer-encoding": "xchunked" }, body: inner() }),
    ],
    [
      "a chunk longer than numbers go",
      () =>
        request({
          ...add,
          headers: { "transfer-encoding": "chunked" },
          body: `ffffffffffffffffff\r\n${inner()}`,
        }),
    ],
    ["a negative length", () => request({ ...add, headers: { "content-length": "-1" } })],
    [
      "a folded header",
      () => request({ headers: { "x-fold": `a\r\n authorization: Bearer ${door.token}` } }),
    ],
    [
      "two hosts",
      () => request({ headers: { ...bearer(), host: `127.0.0.1:${door.port}\r\nhost: evil.example` } }),
    ],
    ["no host", () => `GET /v1/memories HTTP/1.0\r\nAuthorization: Bearer ${door.token}\r\n\r\n`],
    ["bare line ends", () => request({ headers: bearer() }).replaceAll("\r\n", "\n")],
    ["a NUL in the path", () => request({ path: "/v1/memories\u0000/../hooks", headers: bearer() })],
    [
      "a body that holds a request without the token",
      () => request({ path: "/v1/nothing", headers: { ...bearer(), "content-length": "0" } }) + inner(),
    ],
    ["another protocol", () => `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`],
    [
      "a proxy's CONNECT",
      () => `CONNECT 127.0.0.1:${door.port} HTTP/1.1\r\nHost: 127.0.0.1:${door.port}\r\n\r\n${inner()}`,
    ],
  ])("%s", async (_, raw) => {
    const answer = await send(raw(), closing())
    for (const status of statusesOf(answer)) expect([400, 401, 403, 404, 501, 505]).toContain(status)
    await expectNothingHappened(answer)
    expect(await door.answers()).toBe(true)
  })
})

describe("Another method than the door knows changes nothing", () => {
  test.each(["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "OPTIONS"])("%s", async (method) => {
    const headers = { ...bearer(), "x-http-method-override": "POST" }
    const answer = await send(request({ method, headers, body: JSON.stringify({ content: planted }) }))
    expect([400, 404, 405]).toContain(statusOf(answer))
    await expectNothingHappened(answer)
  })
})

/** Every route that takes a body. */
const routes = [
  "/v1/memories",
  "/v1/memories/forget",
  "/v1/memories/restore",
  "/v1/memories/tag",
  "/v1/memories/link",
  "/v1/memories/rate",
  "/v1/memories/resolve",
  "/v1/memories/prune",
  "/v1/memories/purge",
  "/v1/memories/m_1/edit",
  "/v1/clusters/refresh",
  "/v1/tags/clean-up",
  "/v1/journal/undo",
  "/v1/recall/start",
  "/v1/recall/turn",
  "/v1/recall/end",
  "/v1/recall/preview",
  "/v1/sessions/extract",
  "/v1/credentials/noted",
  "/v1/models/test",
  "/v1/limits",
  "/v1/ambient/pause",
  "/v1/queue",
  "/mcp",
]

function post(path: string, body: string): string {
  const accept = "application/json, text/event-stream"
  return request({
    method: "POST",
    path,
    body,
    headers: { ...bearer(), "content-type": "application/json", accept },
  })
}

test.each(routes)("a body of 5 MB to %s", async (path) => {
  const answer = await send(post(path, JSON.stringify({ content: "x".repeat(5_000_000) })))
  expect(statusOf(answer)).toBe(413)
  expect(answer).toMatch(/larger than 4\.0 MB; send less at once/)
})

test("a body of 33 MB to a hook", async () => {
  const answer = await send(post("/v1/hooks/claude-code/UserPromptSubmit", "x".repeat(33_000_000)))
  expect(statusOf(answer)).toBe(413)
})

test("a body that says nothing of its length and does not end", async () => {
  const head = request({ method: "POST", headers: { ...bearer(), "transfer-encoding": "chunked" } })
  const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`
  const answer = await send(head, ...Array.from({ length: 100 }, () => chunk))
  expect(statusOf(answer)).toBe(413)
  expect(await door.answers()).toBe(true)
})

test.each([...routes, "/v1/hooks/claude-code/UserPromptSubmit"])(
  "JSON that is nested 100,000 deep to %s",
  async (path) => {
    const deep = `{"content":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    expect(statusOf(await send(post(path, deep)))).toBe(400)
    expect(await door.answers()).toBe(true)
  },
)

test.each([
  ["a header of 300 kB", () => ({ "x-long": "x".repeat(300_000) })],
  [
    "30,000 headers",
    () => Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`x-${index}`, "y"])),
  ],
])("%s", async (_, headers) => {
  expect(statusOf(await send(request({ headers: { ...bearer(), ...headers() } })))).toBe(431)
  expect(await door.answers()).toBe(true)
})

test("500 connections that begin a request and never end it", async () => {
  const sockets = Array.from({ length: 500 }, () => {
    const socket = connect(door.port, "127.0.0.1")
    socket.on("error", () => undefined)
    socket.write("GET /v1/memories HTTP/1.1\r\nHost: ")
    return socket
  })
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve))))
  expect(await send(request({ headers: bearer() }))).toContain(secret)
  for (const socket of sockets) socket.destroy()
})

test.each([
  ["an actor with a line end in it", { "x-reverie-actor": "cli%0d%0ax" }],
  ["an actor that is a script", { "x-reverie-actor": "<script>" }],
  ["an operation that is a path", { "x-reverie-operation": "../../op_12345678" }],
])("%s", async (_, headers) => {
  const answer = await send(request({ ...add, headers: { ...bearer(), ...headers } }))
  expect(statusOf(answer)).toBe(400)
  await expectNothingHappened(answer)
})
