import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The files that take longest, by folder and name: they begin first, so that none is left running alone at the end. */
const longest = [
  "attack/repository",
  "attack/model-server",
  "attack/sandbox",
  "web/pages",
  "attack/acting",
  "attack/worktree",
  "system/writers",
  "clients/claude",
  "attack/network",
  "attack/slow-text",
  "web/live",
  "chat/channels/discord",
  "system/secrets-told",
  "system/login",
  "system/mcp",
  "clients/",
  "system/sessions",
  "attack/agents",
  "chat/simulator",
  "system/kill-tending",
  "system/kill-work",
  "system/work-story",
  "system/chat-",
  "system/tighten",
  "attack/durability",
  "activities/",
  "memory/retrieval-property",
  "contract/",
  "system/every-command",
  "attack/",
  "memory/garden/garden-property",
  "system/secrets-",
  "system/daemon",
  "system/organise",
  "attention/budget/simulation",
  "privacy/slow-text",
  "system/",
  "coding/",
  "embedding/local",
]

/** Starts the files that are known to take long before the others. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files)
    return usual.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.includes(`/test/${name}`))
  return rank === -1 ? longest.length : rank
}
