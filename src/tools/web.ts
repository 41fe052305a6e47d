import { z } from "zod"
import type { SafeFetch } from "../base/net/safe-fetch/safe-fetch.ts"
import { addSource, type CurateNeeds, listSources, removeSource } from "../chat/discovery/curate.ts"
import type { ReadPage } from "../chat/discovery/reading/parse-page.ts"
import { type DiscoveryConfig, families, readSource } from "../chat/discovery/sources/source.ts"
import type { browsePage } from "../chat/discovery/web/browser/browse.ts"
import type { Robots } from "../chat/discovery/web/robots.ts"
import { scrapePage } from "../chat/discovery/web/scrape.ts"
import { searchAddress, searchWeb } from "../chat/discovery/web/search.ts"
import type { KeyedSearch } from "../chat/discovery/web/search-key.ts"
import { fence } from "../llm/fence.ts"
import type { Effect } from "../safety/tier.ts"
import { defineTool, type Tool, type ToolOutcome, wrong } from "../safety/tool.ts"
import { fenced } from "./fenced.ts"

/** Reads a page as a browser shows it. */
type Browse = (url: string, options: { gapMs: number; signal: AbortSignal }) => ReturnType<typeof browsePage>

/** What the tools for the web need. */
export interface WebDesk extends CurateNeeds {
  fetch: SafeFetch
  robots: Robots
  config: DiscoveryConfig
  keyFor(provider: KeyedSearch): string | undefined
  /** Reads a page with a browser; undefined where there is none. */
  browse?: Browse | undefined
  /** A text without secrets and personal data: what goes out must be the same with and without it. */
  redact(text: string): Promise<string>
}

/** Searching the web and reading its pages. */
export function webTools(desk: WebDesk): Tool[] {
  const { config } = desk
  const address = searchAddress(config)
  const search = defineTool({
    name: "web_search",
    description: "Search the web. Gives titles, addresses and excerpts, which others wrote.",
    input: z.object({ query: z.string().trim().min(2).max(300) }),
    tier: "auto",
    effects: () => fetches(address ?? ""),
    readsOutside: true,
    isRepeatable: true,
    async run({ query }, signal) {
      if ((await desk.redact(query)) !== query) return secretInside
      const found = await searchWeb(desk, config, query, signal)
      if ("problem" in found) return wrong(found.problem)
      if (found.length === 0) return "Nothing was found."
      return found
        .map(({ title, link, excerpt }) => fenced(`${title} | ${link} | ${excerpt}`, 1500))
        .join("\n")
    },
  })
  const scrape = pageTool(
    desk,
    "web_scrape",
    "Read a public web page: its article as plain text, which others wrote.",
    (url, signal) => scrapePage(desk, config, url, signal),
  )
  const { browse } = desk
  const browser =
    browse &&
    pageTool(
      desk,
      "browser_browse",
      "Read a public web page with a browser that runs its scripts, where web_scrape gives nothing. Slow; gives plain text, which others wrote.",
      (url, signal) => browse(url, { gapMs: config.seconds_between_requests * 1000, signal }),
    )
  return [...(address === undefined ? [] : [search]), scrape, ...(browser ? [browser] : [])]
}

function pageTool(
  { redact }: WebDesk,
  name: string,
  description: string,
  read: (url: string, signal: AbortSignal) => ReturnType<typeof browsePage>,
): Tool {
  return defineTool({
    name,
    description,
    input: z.object({ url: z.string().trim().min(8).max(2000) }),
    tier: "auto",
    effects: ({ url }) => fetches(url),
    readsOutside: true,
    isRepeatable: true,
    async run({ url }, signal) {
      if ((await redact(url)) !== url) return secretInside
      const page = await read(url, signal)
      return "problem" in page ? wrong(page.problem) : pageText(page)
    },
  })
}

/** A page's text as others' words. */
function pageText(page: ReadPage & { link: string }): string {
  const head = [page.title, page.by, page.site, page.link].filter((line) => line !== "").join("\n")
  return fence("data", `${head}\n\n${page.text}${page.isCut ? "\n[The page goes on.]" : ""}`)
}

const family = z.enum(families.filter((one) => one !== "hacker_news"))
const which = {
  type: family,
  value: z
    .string()
    .trim()
    .min(1)
    .max(2000)
    .describe("the feed's address, the subreddit, the YouTube channel's id, or the account"),
  reason: z.string().trim().min(3).max(500).describe("why, for the person"),
}

/** Changing what is read for a community, within the person's limits; none where the person allows it not. */
export function sourceTools(desk: WebDesk, community: string): Tool[] {
  const { config } = desk
  const list = defineTool({
    name: "discovery_source_list",
    description: "List what is read for this community, whose choice each is and how it goes.",
    input: z.object({}),
    tier: "auto",
    readsOutside: true,
    isRepeatable: true,
    async run() {
      const listed = await listSources(desk.db, config, community)
      if (listed.length === 0) return "Nothing is read for this community."
      return listed
        .map(({ key, addedBy, title, state }) =>
          fenced(
            [key, `chosen by the ${addedBy}`, title, howItGoes(state)]
              .filter((part) => part !== "")
              .join(" | "),
          ),
        )
        .join("\n")
    },
  })
  const add = defineTool({
    name: "discovery_source_add",
    description: "Read one more source for this community. It is tried at once, and must have entries.",
    input: z.object(which),
    tier: "auto",
    effects: ({ type, value }) => fetches(type === "rss" ? value : `https://${type}/${value}`),
    readsOutside: true,
    async run({ type, value, reason }, signal) {
      if ((await desk.redact(value)) !== value) return secretInside
      const why = await desk.redact(reason)
      const added = await addSource(desk, config, { community, family: type, value, reason: why }, signal)
      if ("problem" in added) return wrong(added.problem)
      return `Added. Its newest entries: ${fenced(added.found.join(" | "), 1000)}`
    },
  })
  const remove = defineTool({
    name: "discovery_source_remove",
    description: "Stop reading a source that you added for this community.",
    input: z.object(which),
    tier: "auto",
    async run({ type, value, reason }) {
      const given = readSource(type, value)
      if ("problem" in given) return wrong(given.problem)
      const why = await desk.redact(reason)
      const removed = await removeSource(desk, config, { community, family: type, value, reason: why })
      return "problem" in removed ? wrong(removed.problem) : "Removed."
    },
  })
  return config.allow_self_curation ? [list, add, remove] : []
}

const secretInside: ToolOutcome = wrong("Not sent: it holds a secret or personal data. Ask without it.")

function fetches(url: string): Effect[] {
  return [{ kind: "fetch", url }]
}

function howItGoes(state: { failures: number; error: string | null } | undefined): string {
  if (state === undefined) return "not read yet"
  return state.failures === 0 ? "works" : `failed ${state.failures} times: ${state.error ?? ""}`
}
