import type { RequestListener } from "node:http"
import { type Clock, systemClock } from "../../src/base/clock.ts"
import { type AddressPolicy, publicOnly } from "../../src/base/net/safe-fetch/public-address.ts"
import { createSafeFetch } from "../../src/base/net/safe-fetch/safe-fetch.ts"
import type { Resolve } from "../../src/base/net/safe-fetch/send-request.ts"
import { createReader } from "../../src/chat/discovery/reading/reader.ts"
import type { DiscoveryConfig } from "../../src/chat/discovery/sources/source.ts"
import { discovery } from "../../src/config/settings/chat/discovery.ts"
import { serveHttp } from "../http-server.ts"

/** The real policy, but for the one address on which servers of tests listen. */
export const testServersToo: AddressPolicy = {
  problem: (address) => (address === "127.0.0.1" ? undefined : publicOnly.problem(address)),
}

interface World {
  clock?: Clock
  resolve?: Resolve
  limits?: NonNullable<Parameters<typeof createSafeFetch>[0]["limits"]>
}

/** A fetch as the product makes it, that may also reach servers of tests and pauses between none of them. */
export function openFetch({ clock = systemClock, resolve, limits = {} }: World = {}) {
  return createSafeFetch({
    ...{ clock, policy: testServersToo, limits: { gapMs: 0, ...limits } },
    ...(resolve === undefined ? {} : { resolve }),
  })
}

/** What reads sources needs, with servers of tests in the places of the real ones. */
export function openSources(base: string, world: World = {}) {
  const { clock = systemClock } = world
  const endpoints = { reddit: `${base}/reddit`, youtube: `${base}/youtube`, hackerNews: `${base}/hn` }
  // The thread that reads is given up by the machine's clock, also where a test's stands still.
  return { clock, fetch: openFetch(world), reader: createReader({ clock: systemClock }), endpoints }
}

/** The configuration's part, with nothing switched on that would be fetched. */
export function discoveryConfig(given: Partial<DiscoveryConfig> = {}): DiscoveryConfig {
  const settings = discovery.parse({})
  const sources = { ...settings.sources, hacker_news: false, ...given.sources }
  return { ...settings, seconds_between_requests: 0, ...given, sources }
}

/** Serves paths; what is not there is not found. Counts who asked for what. */
export async function servePaths(paths: Record<string, RequestListener>) {
  const asked: { path: string; headers: Record<string, string | string[] | undefined> }[] = []
  const base = await serveHttp((request, response) => {
    const path = request.url ?? "/"
    asked.push({ path, headers: request.headers })
    const answer = paths[path] ?? paths[path.split("?")[0] ?? ""]
    if (answer === undefined) response.writeHead(404).end()
    else answer(request, response)
  })
  return { base, asked, hits: (path: string) => asked.filter((one) => one.path.startsWith(path)).length }
}

/** Answers with a text. */
export function text(body: string | Uint8Array, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => response.writeHead(200, headers).end(body)
}

/** An RSS feed of titles and paths. */
export function rss(
  items: readonly { title: string; link: string; more?: string }[],
  title = "A feed",
): string {
  const each = items.map(
    (one) => `<item><title>${one.title}</title><link>${one.link}</link>${one.more ?? ""}</item>`,
  )
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>${title}</title>${each.join("")}</channel></rss>`
}
