import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { createServer as createTcp } from "node:net"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { describe, expect, onTestFinished, test } from "vitest"
import { systemClock } from "../../src/base/clock.ts"
import { createSafeFetch } from "../../src/base/net/safe-fetch/safe-fetch.ts"
import { searchWeb } from "../../src/chat/discovery/web/search.ts"
import { discoveryConfig, openFetch, testServersToo, text } from "../../testkit/discovery/world.ts"
import { serveHttp } from "../../testkit/http-server.ts"

/** A server on another loopback address with the same port: what a private service is for these tests. */
async function servePrivate(port: number): Promise<{ hits: () => number }> {
  let hits = 0
  const server = createServer((_request, response) => {
    hits += 1
    response.end("secret of the network")
  })
  server.listen(port, "127.0.0.2")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { hits: () => hits }
}

const portOf = (base: string) => Number(new URL(base).port)

describe("Addresses that lead where nothing may be fetched", () => {
  test.each([
    ["this machine", "http://127.0.0.1/"],
    ["this machine by another of its addresses", "http://127.8.9.1/"],
    ["this machine by its name", "http://localhost/"],
    ["this machine by its name with a dot behind", "http://localhost./"],
    ["this machine as one number", "http://2130706433/"],
    ["this machine in octal", "http://0177.0.0.1/"],
    ["this machine in hexadecimal", "http://0x7f.0x0.0x0.0x1/"],
    ["this machine with parts left out", "http://127.1/"],
    ["this machine in wide digits", "http://１２７.０.０.１/"],
    ["no address in particular, which is this machine", "http://0.0.0.0/"],
    ["a private network 10/8", "http://10.0.0.1/"],
    ["a private network 172.16/12", "http://172.31.255.254/"],
    ["a private network 192.168/16", "http://192.168.1.1/"],
    ["a carrier's network", "http://100.64.0.1/"],
    ["a link-local address with a cloud's credentials", "http://169.254.169.254/latest/meta-data/"],
    ["Alibaba's metadata in a carrier's network", "http://100.100.100.200/"],
    ["Azure's wire server, which looks public", "http://168.63.129.16/"],
    ["a network for benchmarks", "http://198.18.0.1/"],
    ["a multicast group", "http://224.0.0.251/"],
    ["everybody in the network", "http://255.255.255.255/"],
    ["a reserved address", "http://240.0.0.1/"],
    ["this machine in IPv6", "http://[::1]/"],
    ["no address in particular in IPv6", "http://[::]/"],
    ["this machine in IPv4 mapped into IPv6", "http://[::ffff:127.0.0.1]/"],
    ["a private network mapped into IPv6, in hexadecimal", "http://[::ffff:a00:1]/"],
    ["a private network behind a translator (NAT64)", "http://[64:ff9b::a00:1]/"],
    ["a private network behind a local translator", "http://[64:ff9b:1::a00:1]/"],
    ["a private network in 6to4", "http://[2002:a00:1::]/"],
    ["a private network in Teredo", "http://[2001:0:a00:1::]/"],
    ["an IPv4-compatible address", "http://[::10.0.0.1]/"],
    ["a unique local address", "http://[fd12:3456::1]/"],
    ["a link-local address in IPv6", "http://[fe80::1]/"],
    ["AWS's metadata in IPv6", "http://[fd00:ec2::254]/"],
    ["a multicast group in IPv6", "http://[ff02::1]/"],
    ["an address for documents", "http://[2001:db8::1]/"],
  ])("%s", async (_what, address) => {
    const fetch = createSafeFetch({ clock: systemClock, limits: { connectMs: 3000, totalMs: 3000 } })
    expect(await fetch(address)).toMatchObject({ ok: false, why: "address" })
  })

  test.each([
    ["a file", "file:///etc/passwd"],
    ["a text within the address", "data:text/html,hello"],
    ["another protocol", "gopher://example.org/"],
    ["another protocol that is almost http", "ftp://example.org/"],
    ["a name and password", "http://admin:admin@example.org/"],
    ["the port of a mail server", "http://example.org:25/"],
    ["the port of a shell", "https://example.org:22/"],
    ["an address longer than any", `http://example.org/${"a".repeat(5000)}`],
  ])("%s", async (_what, address) => {
    let lookups = 0
    const resolve = async () => {
      lookups += 1
      return []
    }
    expect(await openFetch({ resolve })(address)).toMatchObject({ ok: false, why: "address" })
    expect(lookups).toBe(0)
  })

  test.each([
    ["a name with a private address", ["10.1.2.3"]],
    ["a name with a public and a private address", ["127.0.0.1", "192.168.0.1"]],
    ["a name with a private and a public address", ["192.168.0.1", "127.0.0.1"]],
    ["a name with a mapped address", ["::ffff:10.0.0.1"]],
    ["a name with something that is no address", ["fe80::1%eth0"]],
  ])("%s", async (_what, addresses) => {
    const base = await serveHttp((_request, response) => response.end("reached"))
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
    const outcome = await openFetch({ resolve: async () => found })(`http://feed.example:${portOf(base)}/`)
    expect(outcome).toMatchObject({ ok: false, why: "address" })
  })

  test("a name that is public when it is checked and private when it is connected to", async () => {
    const base = await serveHttp((_request, response) => response.end("public"))
    const inside = await servePrivate(portOf(base))
    let lookups = 0
    const resolve = async () => {
      lookups += 1
      return [{ address: lookups === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }]
    }
    const fetch = openFetch({ resolve })
    const url = `http://rebind.example:${portOf(base)}/`
    expect(await fetch(url)).toMatchObject({ ok: true })
    expect(lookups).toBe(1)
    // The next connection looks again, and finds the private one.
    expect(await fetch(url)).toMatchObject({ ok: false, why: "address" })
    expect(inside.hits()).toBe(0)
  })

  test("a name that becomes private between a redirect and what follows", async () => {
    const base = await serveHttp((_request, response) =>
      response.writeHead(302, { location: "/again" }).end(),
    )
    const inside = await servePrivate(portOf(base))
    let lookups = 0
    const resolve = async () => {
      lookups += 1
      return [{ address: lookups === 1 ? "127.0.0.1" : "127.0.0.2", family: 4 }]
    }
    const outcome = await openFetch({ resolve })(`http://rebind.example:${portOf(base)}/`)
    expect(outcome).toMatchObject({ ok: false, why: "address" })
    expect(inside.hits()).toBe(0)
  })

  test("a redirect to a host of the person's own network that only their feeds may be on", async () => {
    const base = await serveHttp((request, response) => {
      const { port } = new URL(`http://${request.headers.host}`)
      response.writeHead(302, { location: `http://127.0.0.2:${port}/` }).end()
    })
    const inside = await servePrivate(portOf(base))
    const host = `127.0.0.2:${portOf(base)}`
    const fetch = openFetch()
    expect(await fetch(base, { privateHosts: [host] })).toMatchObject({ ok: false, why: "address" })
    expect(inside.hits()).toBe(0)
    // The host itself may be read where the request begins there.
    expect(await fetch(`http://${host}/`, { privateHosts: [host] })).toMatchObject({ ok: true })
  })

  test("a cloud's credentials, allowed by name as a host of one's own", async () => {
    const fetch = createSafeFetch({ clock: systemClock, limits: { connectMs: 2000 } })
    const outcome = await fetch("http://169.254.169.254/", { privateHosts: ["169.254.169.254"] })
    expect(outcome).toMatchObject({ ok: false, why: "address" })
  })
})

describe("Redirects", () => {
  async function redirecting(location: string): Promise<unknown> {
    const base = await serveHttp((_request, response) => response.writeHead(302, { location }).end())
    return openFetch({ limits: { connectMs: 3000 } })(base)
  }

  test.each([
    ["to this machine by another address", "http://127.0.0.2/"],
    ["to a cloud's credentials", "http://169.254.169.254/latest/meta-data/"],
    ["to a private network in IPv6", "http://[fd00::1]/"],
    ["to a file", "file:///etc/passwd"],
    ["to a name and password", "http://user:word@127.0.0.1/"],
    ["to the port of another protocol", "http://127.0.0.1:25/"],
  ])("%s", async (_what, location) => {
    expect(await redirecting(location)).toMatchObject({ ok: false, why: "address" })
  })

  test.each([
    ["to itself, for ever", "/"],
    ["to something that is no address", "http://"],
    ["to an address longer than any", `/${"a".repeat(5000)}`],
  ])("%s", async (_what, location) => {
    expect(await redirecting(location)).toMatchObject({ ok: false, why: "redirect" })
  })

  test("through ever new addresses", async () => {
    let hits = 0
    const base = await serveHttp((_request, response) => {
      hits += 1
      response.writeHead(302, { location: `/${hits}` }).end()
    })
    expect(await openFetch()(base)).toMatchObject({ ok: false, why: "redirect" })
    expect(hits).toBe(6)
  })

  test("that take a key to another server", async () => {
    const keys: (string | undefined)[] = []
    const thief = await serveHttp((request, response) => {
      keys.push(request.headers.authorization)
      response.end("thanks")
    })
    const base = await serveHttp((_request, response) => response.writeHead(307, { location: thief }).end())
    await openFetch()(base, { secretHeaders: { authorization: "Bearer abc" } })
    expect(keys).toEqual([undefined])
  })

  test("that take what is searched for, and the key, to another server", async () => {
    let hits = 0
    const thief = await serveHttp((_request, response) => {
      hits += 1
      response.end("{}")
    })
    const base = await serveHttp((_request, response) => response.writeHead(302, { location: thief }).end())
    const search = { provider: "tavily" as const, url: base, max_results: 5 }
    const found = await searchWeb(
      { fetch: openFetch(), keyFor: () => "tvly-1" },
      discoveryConfig({ search }),
      "tides",
    )
    expect(found).toHaveProperty("problem")
    expect(hits).toBe(0)
  })
})

describe("Answers made to hurt", () => {
  const small = { mostBytes: 200_000, mostUnpackedBytes: 400_000, totalMs: 20_000 }
  const get = (base: string, limits = {}) => openFetch({ limits: { ...small, ...limits } })(base)

  test("a body without an end", async () => {
    const endless: RequestListener = (_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536))) {}
      }
      response.on("drain", more)
      more()
    }
    expect(await get(await serveHttp(endless))).toMatchObject({ ok: false, why: "too-much" })
  })

  test("a body that comes drop by drop", async () => {
    const drip: RequestListener = (_request, response) => {
      const timer = setInterval(() => response.write("x"), 20)
      response.on("close", () => clearInterval(timer))
    }
    expect(await get(await serveHttp(drip), { totalMs: 500 })).toMatchObject({ ok: false, why: "timeout" })
  })

  test("a packed body that comes drop by drop", async () => {
    const packed = gzipSync(Buffer.alloc(100_000, "tide"), { level: 0 })
    const drip: RequestListener = (_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" })
      let at = 0
      const timer = setInterval(() => response.write(packed.subarray(at, ++at)), 20)
      response.on("close", () => clearInterval(timer))
    }
    expect(await get(await serveHttp(drip), { totalMs: 500 })).toMatchObject({ ok: false, why: "timeout" })
  })

  test("a server that takes the connection and says nothing", async () => {
    const base = await serveHttp(() => {})
    expect(await get(base, { firstByteMs: 300 })).toMatchObject({ ok: false, why: "timeout" })
  })

  test("a server that begins a head and never ends it", async () => {
    const server = createTcp((socket) => {
      socket.on("error", () => {})
      socket.write("HTTP/1.1 200 OK\r\nx-a: ")
      const timer = setInterval(() => socket.write("b"), 20)
      socket.on("close", () => clearInterval(timer))
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    expect(await get(`http://127.0.0.1:${port}/`, { firstByteMs: 400 })).toMatchObject({
      ok: false,
      why: "timeout",
    })
  })

  const bomb = Buffer.alloc(6_000_000)
  test.each([
    ["gzip", gzipSync(bomb)],
    ["br", brotliCompressSync(bomb)],
    ["deflate", deflateSync(bomb)],
    ["deflate", deflateRawSync(bomb)],
  ])("a few bytes that unpack to very many (%s)", async (encoding, body) => {
    const base = await serveHttp(text(body, { "content-encoding": encoding }))
    expect(body.byteLength).toBeLessThan(small.mostBytes)
    expect(await get(base)).toMatchObject({ ok: false, why: "too-much" })
  })

  test("a body packed twice, a bomb in a bomb", async () => {
    const base = await serveHttp(text(gzipSync(gzipSync(bomb)), { "content-encoding": "gzip, gzip" }))
    expect(await get(base)).toMatchObject({ ok: false, why: "broken" })
  })

  test.each([
    ["packed in a way that was not asked for", "zstd", Buffer.from("x")],
    ["said to be packed that is not", "gzip", Buffer.from("plain text")],
    ["packed and broken off", "gzip", gzipSync(Buffer.alloc(5000, "tides")).subarray(0, 20)],
    ["packed and spoiled", "br", Buffer.from("not brotli at all")],
  ])("a body that is %s", async (_what, encoding, body) => {
    expect(await get(await serveHttp(text(body, { "content-encoding": encoding })))).toMatchObject({
      ...{ ok: false, why: "broken" },
    })
  })

  test("a length that promises more than comes", async () => {
    const short: RequestListener = (_request, response) => {
      response.writeHead(200, { "content-length": "1000" })
      response.write("only this")
      setTimeout(() => response.destroy(), 50)
    }
    expect(await get(await serveHttp(short))).toMatchObject({ ok: false, why: "broken" })
  })

  test("a length of many gigabytes", async () => {
    const large: RequestListener = (_request, response) =>
      response.writeHead(200, { "content-length": "99999999999" }).flushHeaders()
    expect(await get(await serveHttp(large))).toMatchObject({ ok: false, why: "too-much" })
  })

  test("a head larger than any", async () => {
    const base = await serveHttp(text("x", { "x-fill": "y".repeat(20_000) }))
    expect(await get(base)).toMatchObject({ ok: false, why: "broken" })
  })

  test("something that is no HTTP", async () => {
    const server = createTcp((socket) => {
      socket.on("error", () => {})
      socket.end("SSH-2.0-OpenSSH_9.9\r\n")
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    expect(await get(`http://127.0.0.1:${port}/`)).toMatchObject({ ok: false, why: "broken" })
  })

  test("a wish to be left alone for a thousand years", async () => {
    const base = await serveHttp((_request, response) =>
      response.writeHead(429, { "retry-after": "31536000000" }).end(),
    )
    const outcome = await get(base)
    expect(outcome).toMatchObject({ ok: false, why: "busy" })
    const day = 24 * 3_600_000
    expect("retryAt" in outcome && (outcome.retryAt ?? 0) <= systemClock.now() + day).toBe(true)
  })
})

test("the policy of these tests lets nothing else through than their own servers", () => {
  expect(testServersToo.problem("127.0.0.1")).toBeUndefined()
  expect(testServersToo.problem("127.0.0.2")).toBeDefined()
})
