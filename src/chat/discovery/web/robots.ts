import type { Clock } from "../../../base/clock.ts"
import { decodeText } from "../../../base/net/safe-fetch/decode-text.ts"
import { type SafeFetch, userAgentName } from "../../../base/net/safe-fetch/safe-fetch.ts"
import { matchesGlob } from "../../../base/text/glob.ts"

/** Checks robots.txt (RFC 9309). */
export interface Robots {
  allows(address: string, options: { gapMs: number; signal?: AbortSignal | undefined }): Promise<boolean>
}

const keptMs = 24 * 3_600_000
/** A robots.txt that could not be fetched is fetched again after this. */
const retriedMs = 10 * 60_000
const maxSites = 500
const mostBytes = 500_000

/** Fetches robots.txt files and caches them for a day. */
export function createRobots({ clock, fetch }: { clock: Clock; fetch: SafeFetch }): Robots {
  const known = new Map<string, { until: number; rules: readonly Rule[] }>()
  const rulesOf = async (origin: string, gapMs: number, signal: AbortSignal | undefined) => {
    const kept = known.get(origin)
    const now = clock.now()
    if (kept !== undefined && kept.until > now && kept.until <= now + keptMs) return kept.rules
    const asked = await fetchRules(fetch, origin, gapMs, signal)
    if (known.size >= maxSites) known.delete(known.keys().next().value ?? "")
    known.set(origin, { until: now + (asked === undefined ? retriedMs : keptMs), rules: asked ?? forbidAll })
    return asked ?? forbidAll
  }
  return {
    async allows(address, { gapMs, signal }) {
      const url = URL.parse(address)
      if (url === null) return false
      const path = `${url.pathname}${url.search}`
      return path === "/robots.txt" || isAllowed(await rulesOf(url.origin, gapMs, signal), path)
    },
  }
}

/** The rules of a site; none if it has no file, undefined if it could not be fetched. */
async function fetchRules(
  fetch: SafeFetch,
  origin: string,
  gapMs: number,
  signal: AbortSignal | undefined,
): Promise<readonly Rule[] | undefined> {
  const limits = { mostBytes, mostUnpackedBytes: mostBytes, gapMs }
  const response = await fetch(`${origin}/robots.txt`, signal === undefined ? { limits } : { limits, signal })
  if (response.ok) return readRobots(decodeText(response.body, "text/plain; charset=utf-8"))
  const { status = 0 } = response
  return status >= 400 && status < 500 && status !== 429 ? [] : undefined
}

interface Rule {
  isAllowed: boolean
  pattern: string
}

const forbidAll: readonly Rule[] = [{ isAllowed: false, pattern: "/" }]
const maxRules = 5000

interface Group {
  agents: string[]
  rules: Rule[]
}

/** The rules of the groups that name us, or else of those for everybody. @internal */
export function readRobots(text: string): Rule[] {
  const groups = groupsIn(text)
  const named = groups.filter(({ agents }) => agents.includes(userAgentName))
  const chosen = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes("*"))
  return chosen.flatMap(({ rules }) => rules).slice(0, maxRules)
}

function groupsIn(text: string): Group[] {
  const groups: Group[] = []
  for (const line of text.split(/\r\n?|\n/).slice(0, 50_000)) {
    const [, name = "", given = ""] = /^\s*([a-z-]{1,40})\s*:\s*([^#]*)/i.exec(line.slice(0, 3000)) ?? []
    const value = given.trim()
    const last = groups.at(-1)
    switch (name.toLowerCase()) {
      case "user-agent": {
        // The name may have a version; several names in a row share their rules.
        const agent = value.toLowerCase().split(/[/\s]/)[0] ?? ""
        if (last !== undefined && last.rules.length === 0) last.agents.push(agent)
        else groups.push({ agents: [agent], rules: [] })
        break
      }
      case "allow":
      case "disallow":
        last?.rules.push({ isAllowed: /^a/i.test(name), pattern: value })
    }
  }
  return groups
}

/** The longest matching rule decides; between equals, one that allows. @internal */
export function isAllowed(rules: readonly Rule[], path: string): boolean {
  const fitting = rules.filter(({ pattern }) => pattern !== "" && matchesPattern(pattern, path))
  const longest = Math.max(0, ...fitting.map(({ pattern }) => pattern.length))
  const deciding = fitting.filter(({ pattern }) => pattern.length === longest)
  return deciding.length === 0 || deciding.some((rule) => rule.isAllowed)
}

/** Whether a path matches a pattern with * and $; without $, anything may follow. */
function matchesPattern(pattern: string, path: string): boolean {
  return matchesGlob(pattern.endsWith("$") ? pattern.slice(0, -1) : `${pattern}*`, path)
}
