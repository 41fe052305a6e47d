import { readFileSync, statSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createPlainInstallation } from "../../testkit/program/program.ts"

interface Asked {
  path?: string
  headers?: Record<string, string>
}

/** Asks without fetch, which would not let us lie about the host. */
function ask(
  url: string,
  { path = "/v1/status", headers = {} }: Asked,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { headers }, (answer) => {
      let body = ""
      answer.on("data", (chunk) => {
        body += chunk
      })
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }))
    })
    sent.on("error", reject)
    sent.end()
  })
}

async function running(config = "[api]\nport = 0\n") {
  const installation = createPlainInstallation()
  writeFileSync(join(installation.home, "config.toml"), config)
  const daemon = await installation.daemonHere()
  const { daemon: info } = await daemon.client.status()
  if (!info.running) throw new Error("not running")
  const { token } = JSON.parse(readFileSync(installation.paths.installFile, "utf8"))
  return { installation, daemon, url: info.url ?? "", token, authorization: `Bearer ${token}` }
}

describe("The loopback door", () => {
  test("opens for the token only", async () => {
    const { url, authorization } = await running()
    expect(await ask(url, { headers: { authorization } })).toMatchObject({ status: 200 })
    expect(await ask(url, {})).toMatchObject({
      status: 401,
      body: expect.stringContaining("Authorization: Bearer"),
    })
    expect(await ask(url, { headers: { authorization: "Bearer wrong" } })).toMatchObject({ status: 401 })
  })

  test("stays shut for other hosts and for other web pages, token or not", async () => {
    const { url, authorization } = await running()
    for (const headers of [
      { host: "evil.example:7373" },
      { host: "127.0.0.1" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ]) {
      expect(
        await ask(url, { headers: { authorization, ...headers } }),
        JSON.stringify(headers),
      ).toMatchObject({
        status: 403,
      })
    }
    const own = { authorization, origin: url.replace("127.0.0.1", "localhost") }
    expect(await ask(url, { headers: own })).toMatchObject({ status: 200 })
  })

  test("gives wrong requests one sentence, and never what went wrong inside", async () => {
    const { url, authorization } = await running()
    const headers = { authorization }
    const nowhere = await ask(url, { path: "/v1/nothing", headers })
    expect(nowhere).toMatchObject({ status: 404 })
    expect(JSON.parse(nowhere.body)).toMatchObject({ schemaVersion: 1, error: { kind: "not-found" } })
    const wrong = await ask(url, { path: "/v1/memories?limit=many", headers })
    expect(wrong).toMatchObject({ status: 400, body: expect.stringContaining("limit") })
  })

  test("is not there when api.http is off, and moves when its port is taken", async () => {
    const closed = await running("[api]\nhttp = false\n")
    expect(closed.url).toBe("")
    const first = await running()
    const port = new URL(first.url).port
    const second = await running(`[api]\nport = ${port}\n`)
    expect(new URL(second.url).port).not.toBe(port)
    expect(await ask(second.url, { headers: { authorization: second.authorization } })).toMatchObject({
      status: 200,
    })
  })
})

test("the socket and the token are for their owner only", async () => {
  const { installation } = await running()
  expect(statSync(installation.paths.socket).mode & 0o777).toBe(0o600)
  expect(statSync(installation.paths.installFile).mode & 0o777).toBe(0o600)
  expect(statSync(installation.paths.databaseFile).mode & 0o777).toBe(0o600)
})

test("the live journal tells what any process does", async () => {
  const { installation, daemon } = await running()
  const saved = daemon.entry("memory.saved")
  await installation.run("memory", "add", "told over the socket")
  expect(await saved).toMatchObject({ actor: "cli", data: { after: { content: "told over the socket" } } })
})
