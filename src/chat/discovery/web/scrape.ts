import type { SafeFetch } from "../../../base/net/safe-fetch/safe-fetch.ts"
import type { ReadPage } from "../reading/parse-page.ts"
import type { Reader } from "../reading/reader.ts"
import type { DiscoveryConfig } from "../sources/source.ts"
import type { Robots } from "./robots.ts"

const longestText = 20_000

/** Fetches a page and extracts its article as plain text, if its robots.txt allows it. */
export async function scrapePage(
  { fetch, reader, robots }: { fetch: SafeFetch; reader: Reader; robots: Robots },
  { seconds_between_requests: seconds }: Pick<DiscoveryConfig, "seconds_between_requests">,
  address: string,
  signal?: AbortSignal,
): Promise<(ReadPage & { link: string }) | { problem: string }> {
  const gapMs = seconds * 1000
  if (!(await robots.allows(address, { gapMs, signal })))
    return { problem: "The page was not read: its robots.txt forbids it, or the site could not be asked." }
  const response = await fetch(address, {
    headers: { accept: "text/html, application/xhtml+xml, text/plain;q=0.8" },
    limits: { mostBytes: 2_000_000, mostUnpackedBytes: 5_000_000, gapMs },
    ...(signal === undefined ? {} : { signal }),
  })
  if (!response.ok) return { problem: `The page was not read: ${response.message}.` }
  const contentType = response.headers.get("content-type") ?? "text/html"
  if (!/^\s*(?:text\/(?:html|plain)|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType))
    return { problem: "The page was not read: it is not a page of text." }
  if (response.url !== address && !(await robots.allows(response.url, { gapMs, signal })))
    return { problem: "The page was not read: the robots.txt where it leads to forbids it." }
  const page = await reader.page({ body: response.body, contentType, longest: longestText })
  if ("problem" in page) return { problem: `The page was not read: ${page.problem}.` }
  return { ...page, link: response.url }
}
