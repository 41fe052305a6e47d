import { describe, expect, it } from "vitest"
import { relate } from "../../src/language/compare/relate.ts"
import type { Memory } from "../../src/memory/model/memory.ts"
import { decide } from "../../src/memory/write/compare/decide.ts"

function memoryOf(content: string, createdAt: number): Memory {
  return {
    id: `m_${createdAt}`,
    version: 1,
    content,
    type: "fact",
    scope: "global",
    project: null,
    tags: [],
    status: "active",
    supersededBy: null,
    source: "user-stated",
    sourceId: null,
    sessionId: null,
    messageIndex: null,
    createdAt,
    updatedAt: createdAt,
    accessedAt: null,
    verifiedAt: null,
    accessCount: 0,
    strength: 1,
    confidence: 1,
    trust: 0.9,
    audience: null,
    triggers: [],
    details: {},
  }
}

/** What becomes of a new memory beside one that is known. */
function outcome(older: string, newer: string): string {
  const similar = { memory: memoryOf(older, 1), similarity: undefined, relation: relate(older, newer) }
  const decision = decide(memoryOf(newer, 2), [similar], { duplicate: 1, linked: 1 })
  if (decision.kind === "reinforce") return "merged"
  if (decision.supersedes.length > 0) return "replaced"
  return decision.conflicts.length > 0 ? "conflict" : "kept"
}

const replaced: readonly (readonly [string, string])[] = [
  ["The port is 8080", "The port is 9090"],
  ["Use 2 spaces", "Use 4 spaces"],
  ["The API listens on port 8080", "The API listens on port 9090"],
  ["The service runs on Node 20", "The service runs on Node 22"],
  ["The timeout is 30 seconds", "The timeout is 1 minute"],
  ["The project uses npm", "The project uses pnpm"],
  ["We use npm", "We switched from npm to pnpm"],
  ["Use npm", "Use pnpm instead of npm"],
  ["Use pnpm, not npm", "Use npm"],
  ["Use acme for payments", "Use globex for payments"],
  ["The user prefers tabs", "The user prefers spaces"],
  ["The default branch is main", "The default branch is trunk"],
  ["The tech lead is Ingrid", "Omar is the tech lead"],
  ["Billing is owned by Maria", "Billing is owned by Tom"],
  ["The site is hosted on Netlify", "The site is hosted on Vercel"],
  ["The office is in France", "The office is in Spain"],
  ["The branch is Feature/login", "The branch is feature/login"],
  ["Config lives in a/b.toml", "Config lives in c/b.toml"],
  ["The endpoint is public", "The endpoint is private"],
  ["The user likes emoji", "The user hates emoji"],
  ["Use lodash", "Never use lodash"],
  ["Use lodash in tests", "Never use lodash"],
  ["Agents can push to main", "Agents can't push to main"],
  ["The repository is called atlas", "The repository is called titan"],
  ["LOG_LEVEL=debug", "LOG_LEVEL=info"],
  ["timezone: Europe/Berlin", "timezone: Europe/Madrid"],
  ["Use Postgres as the database", "Use MySQL as the database"],
  ["Der Port ist 8080", "Der Port ist 9090"],
  ["Wir nutzen Redux", "Wir nutzen Redux nicht"],
]

const bothStay: readonly (readonly [string, string])[] = [
  ["HTTP port is 80", "HTTPS port is 443"],
  ["HTTP listens on port 80", "HTTPS listens on port 443"],
  ["On call this week: Tom", "On call next week: Lisa"],
  ["Call Tom on Mondays", "Call Lisa on Tuesdays"],
  ["alice@corp has read access to repo A", "alice@corp has write access to repo B"],
  ["Set LOG_LEVEL=debug locally", "Set LOG_LEVEL=info in production"],
  ["Before 2024 we used Jenkins", "Since 2024 we use GitHub Actions"],
  ["Version 1.2 has a bug", "Version 1.3 has a bug"],
  ["Released version 1.2", "Released version 1.3"],
  ["We released 1.2 in March", "We released 1.3 in April"],
  ["Restarted the server at 10:00", "Restarted the server at 14:00"],
  ["We restarted the server at 10:00", "We restarted the server at 14:00"],
  ["Paid invoice of 120 EUR to Hetzner", "Paid invoice of 80 EUR to Hetzner"],
  ["Spent 3 hours on the parser", "Spent 5 hours on the parser"],
  ["Lunch with Anna on Monday", "Lunch with Anna on Tuesday"],
  ["Meeting with Tom on Monday at 10", "Meeting with Tom on Tuesday at 10"],
  ["The app runs on Linux", "The app runs on Windows"],
  ["Tests run on Linux", "Tests run on macOS"],
  ["The library works with React", "The library works with Vue"],
  ["The docs are available in English", "The docs are available in German"],
  ["Alerts go to Slack", "Alerts go to email"],
  ["Ask Tom about billing", "Ask Lisa about billing"],
  ["Some tests need Docker", "Some tests do not need Docker"],
  ["Never use lodash", "Use lodash in tests"],
  ["The old API is slow", "The new API is slow"],
  ["The job starts the server", "The job stops the server"],
  ["Deployed version 1.2 to staging", "Deployed version 1.3 to staging"],
  ["Use npm", "Use pnpm instead of npm in the docs"],
]

describe("decide", () => {
  it.each(replaced)("lets the newer take the place: %s / %s", (older, newer) => {
    expect(outcome(older, newer)).toBe("replaced")
  })

  it.each(bothStay)("keeps both: %s / %s", (older, newer) => {
    expect(outcome(older, newer)).toMatch(/^(?:kept|conflict)$/)
    expect(outcome(newer, older)).not.toBe("merged")
  })
})
