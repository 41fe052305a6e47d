import { createServer } from "node:http"
import { connect } from "node:net"
import { describe, expect, onTestFinished, test } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { openCheckingProxy } from "../../src/base/net/safe-fetch/checking-proxy.ts"
import { publicOnly } from "../../src/base/net/safe-fetch/public-address.ts"
import { createReader } from "../../src/chat/discovery/reading/reader.ts"
import { browsePage, findChromium } from "../../src/chat/discovery/web/browser/browse.ts"
import { servePaths, testServersToo, text } from "../../testkit/discovery/world.ts"

const signal = new AbortController().signal
const reader = createReader({ clock: systemClock })
const robots = { allows: async () => true }

/** A server whose requests are counted. */
async function serveSecret(): Promise<{ port: number; asked: () => number }> {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    response.end("SECRET")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.2", resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, asked: () => asked }
}

describe.skipIf(findChromium() === undefined)("a page in the browser", () => {
  test("is read with what its scripts wrote, and its scripts reach nothing private", async () => {
    const secret = await serveSecret()
    const page = `<html><title>Moss</title><body><article id="a"><p>Before.</p></article><script>
      document.getElementById("a").append(document.createElement("p")); document.querySelector("#a p:last-child").textContent = "Written by a script.";
      fetch("http://127.0.0.2:${secret.port}/").then((r) => r.text()).then((t) => document.body.append(t)).catch(() => document.body.append("nothing came"));
    </script><img src="http://127.0.0.2:${secret.port}/x.png"></body></html>`
    const { base } = await servePaths({ "/": text(page) })
    const chromium = findChromium() ?? ""
    const read = await browsePage(
      { clock: systemClock, reader, robots, chromium, policy: testServersToo },
      `${base}/`,
      { gapMs: 0, signal },
    )
    expect(read).toMatchObject({ title: "Moss" })
    expect(JSON.stringify(read)).toContain("Written by a script.")
    expect(JSON.stringify(read)).not.toContain("SECRET")
    expect(secret.asked()).toBe(0)
  }, 60_000)

  test("is not read from a private address, whatever its name", async () => {
    const secret = await serveSecret()
    const needs = { clock: systemClock, reader, robots, chromium: findChromium() ?? "" }
    const resolve = async () => [{ address: "127.0.0.2", family: 4 }]
    for (const url of [
      `http://127.0.0.2:${secret.port}/`,
      `http://public.example:${secret.port}/`,
      "file:///etc/passwd",
    ]) {
      const read = await browsePage({ ...needs, resolve }, url, { gapMs: 0, signal })
      expect(JSON.stringify(read)).not.toMatch(/SECRET|root:/)
    }
    expect(secret.asked()).toBe(0)
  }, 60_000)
})

test("the proxy refuses private addresses in both of its ways", async () => {
  const secret = await serveSecret()
  const resolve = async () => [{ address: "127.0.0.2", family: 4 }]
  const proxy = await openCheckingProxy({ policy: publicOnly, resolve, mostBytes: 1000 })
  onTestFinished(proxy.close)
  const ask = (head: string) =>
    new Promise<string>((resolve_) => {
      const socket = connect(proxy.port, "127.0.0.1", () => socket.write(head))
      let came = ""
      socket.on("data", (chunk) => {
        came += chunk
        socket.end()
      })
      socket.on("close", () => resolve_(came))
    })
  const host = `127.0.0.2:${secret.port}`
  expect(await ask(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toContain("403")
  expect(await ask(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toContain("403")
  expect(await ask(`GET http://named.example:${secret.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toContain("403")
  expect(secret.asked()).toBe(0)
})
