import { connect } from "node:net"
import { Hono } from "hono"
import { expect, test } from "vitest"
import { serveLoopback } from "../../src/api/serve.ts"
import { systemClock } from "../../src/base/clock.ts"
import { silentLog } from "../../src/base/log.ts"

test("While a server closes, what comes in on an open connection is answered by the app, not refused by its host", async () => {
  const asked = Promise.withResolvers<void>()
  const closing = Promise.withResolvers<void>()
  const app = new Hono()
  app.get("/v1/slow", async (context) => {
    asked.resolve()
    await closing.promise
    return context.text("first")
  })
  app.get("/v1/second", (context) => context.text("second"))
  const server = await serveLoopback({ app, port: 0, token: "secret", log: silentLog, clock: systemClock })
  const { host, port, hostname } = new URL(server.address)
  const socket = connect(Number(port), hostname)
  let heard = ""
  const ended = new Promise((resolve) => socket.on("close", resolve))
  socket.on("data", (data) => {
    heard += data
  })
  const ask = (path: string) =>
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer secret\r\n\r\n`)
  ask("/v1/slow")
  await asked.promise
  const closed = server.close()
  ask("/v1/second")
  closing.resolve()
  await expect.poll(() => heard).toMatch(/first[\s\S]*second/)
  socket.end()
  await Promise.all([closed, ended])
})
