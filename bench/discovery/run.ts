import { once } from "node:events"
import { createServer } from "node:http"
import { gzipSync } from "node:zlib"
import { systemClock } from "../../src/base/clock.ts"
import { publicOnly } from "../../src/base/net/safe-fetch/public-address.ts"
import { createSafeFetch } from "../../src/base/net/safe-fetch/safe-fetch.ts"
import { createReader } from "../../src/chat/discovery/reading/reader.ts"
import { type Benchmark, median } from "../shared/figures.ts"

/** A very large feed, fetched from a real server and read as the product reads it. */
export const discovery: Benchmark = {
  about: "fetching and reading a large feed: time, memory of the process, and how long its loop is held up",
  options: {
    items: { type: "string", help: "how many entries the feed has (default 10000)" },
    rounds: { type: "string", help: "how often it is read (default 5)" },
  },
  async run({ say, options, atEnd }) {
    const items = Number(options.items ?? 10_000)
    const rounds = Number(options.rounds ?? 5)
    const base = await serve(gzipSync(feedOf(items)), atEnd)
    const allowed = {
      problem: (address: string) => (address === "127.0.0.1" ? undefined : publicOnly.problem(address)),
    }
    const fetch = createSafeFetch({ clock: systemClock, policy: allowed, limits: { gapMs: 0 } })
    const reader = createReader({ clock: systemClock })
    const watch = watchProcess()
    const times: number[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const began = performance.now()
      const came = await fetch(`${base}/feed`)
      if (!came.ok) throw new Error(came.message)
      const contentType = came.headers.get("content-type")
      const now = systemClock.now()
      const feed = await reader.feed({ body: came.body, contentType, url: came.url, most: 10, now })
      if ("problem" in feed || feed.items.length !== 10) throw new Error("the feed was not read")
      times.push(performance.now() - began)
      say(`round ${round}: ${Math.round(times.at(-1) ?? 0)} ms`)
    }
    const { grownMb, heldUpMs } = watch.end()
    return [
      { id: "items", value: items, unit: "entries", better: "higher" },
      { id: "read", value: median(times), unit: "ms", better: "lower" },
      { id: "memory", value: grownMb, unit: "MB", better: "lower" },
      { id: "held-up", value: heldUpMs, unit: "ms", better: "lower" },
    ]
  },
}

function feedOf(items: number): string {
  const each = Array.from({ length: items }, (_, at) => {
    const time = new Date(Date.UTC(2026, 0, 1) + at * 1000).toUTCString()
    const words = `Words about number ${at} and the tides. `.repeat(8)
    return `<item><title>Entry ${at}</title><link>https://feed.example/${at}</link><guid>${at}</guid><pubDate>${time}</pubDate><description>${words}</description></item>`
  })
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Large</title>${each.join("")}</channel></rss>`
}

async function serve(body: Uint8Array, atEnd: (cleanUp: () => void) => void): Promise<string> {
  const server = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "application/rss+xml", "content-encoding": "gzip" }).end(body),
  )
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return `http://127.0.0.1:${address.port}`
}

/** The most memory the process took beyond what it had, and the longest its loop stood still. */
function watchProcess(): { end(): { grownMb: number; heldUpMs: number } } {
  const before = process.memoryUsage.rss()
  let most = before
  let last = performance.now()
  let heldUpMs = 0
  const timer = setInterval(() => {
    const now = performance.now()
    heldUpMs = Math.max(heldUpMs, now - last - 5)
    last = now
    most = Math.max(most, process.memoryUsage.rss())
  }, 5)
  return {
    end() {
      clearInterval(timer)
      return { grownMb: (most - before) / 1e6, heldUpMs }
    },
  }
}
