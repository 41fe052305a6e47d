import type { Clock } from "../../../base/clock.ts"
import { decodeText } from "../../../base/net/safe-fetch/decode-text.ts"
import { robotName, type SafeFetch } from "../../../base/net/safe-fetch/safe-fetch.ts"

/** Says whether a page may be read by a program, as its site wishes (RFC 9309). */
export interface Robots {
  allows(address: string, options: { gapMs: number; signal?: AbortSignal | undefined }): Promise<boolean>
}

const keptMs = 24 * 3_600_000
/** Where a site could not be asked, it is asked again sooner. */
const retriedMs = 10 * 60_000
const mostSites = 500
const mostBytes = 500_000

/** Asks sites for their robots.txt, and remembers it for a day. */
export function createRobots({ clock, fetch }: { clock: Clock; fetch: SafeFetch }): Robots {
  const known = new Map<string, { until: number; rules: readonly Rule[] }>()
  const rulesOf = async (origin: string, gapMs: number, signal: AbortSignal | undefined) => {
    const kept = known.get(origin)
    const now = clock.now()
    if (kept !== undefined && kept.until > now && kept.until <= now + keptMs) return kept.rules
    const asked = await askSite(fetch, origin, gapMs, signal)
    if (known.size >= mostSites) known.delete(known.keys().next().value ?? "")
    known.set(origin, { until: now + (asked === undefined ? retriedMs : keptMs), rules: asked ?? nothing })
    return asked ?? nothing
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

/** The rules of a site; undefined where it could not be asked, and is left alone. No such file forbids nothing. */
async function askSite(
  fetch: SafeFetch,
  origin: string,
  gapMs: number,
  signal: AbortSignal | undefined,
): Promise<readonly Rule[] | undefined> {
  const limits = { mostBytes, mostUnpackedBytes: mostBytes, gapMs }
  const came = await fetch(`${origin}/robots.txt`, signal === undefined ? { limits } : { limits, signal })
  if (came.ok) return readRobots(decodeText(came.body, "text/plain; charset=utf-8"))
  const { status = 0 } = came
  return status >= 400 && status < 500 && status !== 429 ? [] : undefined
}

interface Rule {
  isAllowed: boolean
  pattern: string
}

const nothing: readonly Rule[] = [{ isAllowed: false, pattern: "/" }]
const mostRules = 5000

interface Group {
  agents: string[]
  rules: Rule[]
}

/** The rules for us: those of the groups that name us, or else those for everybody. @internal */
export function readRobots(text: string): Rule[] {
  const groups = groupsIn(text)
  const named = groups.filter(({ agents }) => agents.includes(robotName))
  const chosen = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes("*"))
  return chosen.flatMap(({ rules }) => rules).slice(0, mostRules)
}

function groupsIn(text: string): Group[] {
  const groups: Group[] = []
  for (const line of text.split(/\r\n?|\n/).slice(0, 50_000)) {
    const [, name = "", given = ""] = /^\s*([a-z-]{1,40})\s*:\s*([^#]*)/i.exec(line.slice(0, 3000)) ?? []
    const value = given.trim()
    const last = groups.at(-1)
    switch (name.toLowerCase()) {
      case "user-agent": {
        // The name, or the name with a version behind it; several names in a row share their rules.
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

/** The longest rule that fits decides; of two as long, the one that allows. @internal */
export function isAllowed(rules: readonly Rule[], path: string): boolean {
  const fitting = rules.filter(({ pattern }) => pattern !== "" && fits(pattern, path))
  const longest = Math.max(0, ...fitting.map(({ pattern }) => pattern.length))
  const deciding = fitting.filter(({ pattern }) => pattern.length === longest)
  return deciding.length === 0 || deciding.some((rule) => rule.isAllowed)
}

/** Whether a path begins as a pattern says, with * for anything and $ for its end; in one pass without going back. */
function fits(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith("$")
  const [first = "", ...rest] = (isWhole ? pattern.slice(0, -1) : pattern).split("*")
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1
    const found = isLast && isWhole ? path.lastIndexOf(part) : path.indexOf(part, at)
    if (found < at) return false
    at = found + part.length
  }
  return !isWhole || at === path.length
}
