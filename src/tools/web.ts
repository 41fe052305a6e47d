import { z } from "zod"
import type { SafeFetch } from "../base/net/safe-fetch/safe-fetch.ts"
import { addSource, type CurateNeeds, listSources, removeSource } from "../chat/discovery/curate.ts"
import type { ReadPage } from "../chat/discovery/reading/parse-page.ts"
import { type DiscoveryConfig, families, readSource } from "../chat/discovery/sources/source.ts"
import type { browsePage } from "../chat/discovery/web/browser/browse.ts"
import type { Robots } from "../chat/discovery/web/robots.ts"
import { scrapePage } from "../chat/discovery/web/scrape.ts"
import type { SearchKeyName } from "../chat/discovery/web/search.ts"
import { searchAddress, searchWeb } from "../chat/discovery/web/search.ts"
import { fence } from "../llm/fence.ts"
import type { Effect } from "../safety/tier.ts"
import { defineTool, type Tool, type ToolOutcome, toolError } from "../safety/tool.ts"
import { fenced } from "./fenced.ts"

type Browse = (url: string, options: { gapMs: number; signal: AbortSignal }) => ReturnType<typeof browsePage>

export interface WebToolContext extends CurateNeeds {
  fetch: SafeFetch
  robots: Robots
  config: DiscoveryConfig
  keyFor(provider: SearchKeyName): string | undefined
  /** Reads a page with a browser; undefined where there is none. */
  browse?: Browse | undefined
  /** Removes secrets and personal data. A text may only be sent out if this changes nothing. */
  redact(text: string): Promise<string>
}

/** Tools that search the web and read its pages. */
export function webTools(needs: WebToolContext): Tool[] {
  const { config } = needs
  const address = searchAddress(config)
  const search = defineTool({
    name: "web_search",
    description: "Search the web. Gives titles, addresses and excerpts, which others wrote.",
    input: z.object({ query: z.string().trim().min(2).max(300) }),
    tier: "auto",
    effects: () => fetches(address ?? ""),
    readsUntrusted: true,
    isRepeatable: true,
    async run({ query }, signal) {
      if ((await needs.redact(query)) !== query) return secretInside
      const found = await searchWeb(needs, config, query, signal)
      if ("problem" in found) return toolError(found.problem)
      if (found.length === 0) return "Nothing was found."
      return found
        .map(({ title, link, excerpt }) => fenced(`${title} | ${link} | ${excerpt}`, 1500))
        .join("\n")
    },
  })
  const scrape = pageTool(
    needs,
    "web_scrape",
    "Read a public web page: its article as plain text, which others wrote.",
    (url, signal) => scrapePage(needs, config, url, signal),
  )
  const { browse } = needs
  const browser =
    browse &&
    pageTool(
      needs,
      "browser_browse",
      "Read a public web page with a browser that runs its scripts, where web_scrape gives nothing. Slow; gives plain text, which others wrote.",
      (url, signal) => browse(url, { gapMs: config.seconds_between_requests * 1000, signal }),
    )
  return [...(address === undefined ? [] : [search]), scrape, ...(browser ? [browser] : [])]
}

function pageTool(
  { redact }: WebToolContext,
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
    readsUntrusted: true,
    isRepeatable: true,
    async run({ url }, signal) {
      if ((await redact(url)) !== url) return secretInside
      const page = await read(url, signal)
      return "problem" in page ? toolError(page.problem) : pageText(page)
    },
  })
}

/** A page's text in a fence. */
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

/** Tools that change a community's sources; none if `allow_self_curation` is off. */
export function sourceTools(needs: WebToolContext, community: string): Tool[] {
  const { config } = needs
  const list = defineTool({
    name: "discovery_source_list",
    description: "List what is read for this community, whose choice each is and how it goes.",
    input: z.object({}),
    tier: "auto",
    readsUntrusted: true,
    isRepeatable: true,
    async run() {
      const listed = await listSources(needs.db, config, community)
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
    readsUntrusted: true,
    async run({ type, value, reason }, signal) {
      if ((await needs.redact(value)) !== value) return secretInside
      const why = await needs.redact(reason)
      const added = await addSource(needs, config, { community, family: type, value, reason: why }, signal)
      if ("problem" in added) return toolError(added.problem)
      return `Added. Its newest entries: ${fenced(added.found.join(" | "), 1000)}`
    },
  })
  const remove = defineTool({
    name: "discovery_source_remove",
    description: "Stop reading a source that you added for this community.",
    input: z.object(which),
    tier: "auto",
    async run({ type, value, reason }) {
      const source = readSource(type, value)
      if ("problem" in source) return toolError(source.problem)
      const why = await needs.redact(reason)
      const removed = await removeSource(needs, config, { community, family: type, value, reason: why })
      return "problem" in removed ? toolError(removed.problem) : "Removed."
    },
  })
  return config.allow_self_curation ? [list, add, remove] : []
}

const secretInside: ToolOutcome = toolError(
  "Not sent: it contains a secret or personal data. Ask without it.",
)

function fetches(url: string): Effect[] {
  return [{ kind: "fetch", url }]
}

function howItGoes(state: { failures: number; error: string | null } | undefined): string {
  if (state === undefined) return "not read yet"
  return state.failures === 0 ? "works" : `failed ${state.failures} times: ${state.error ?? ""}`
}
