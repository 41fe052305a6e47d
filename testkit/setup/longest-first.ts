import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The files that take longest, by folder and name: they begin first, so that none is left running alone at the end. */
const longest = [
  "attack/repository",
  "system/every-command",
  "clients/story",
  "attack/acting",
  "attack/model-server",
  "clients/hooks",
  "attack/sandbox",
  "attack/network",
  "clients/c",
  "memory/retrieval-property",
  "chat/simulator",
  "system/slice",
  "attack/worktree",
  "system/sessions",
  "system/mcp",
  "system/kill-",
  "chat/initiative/simulator",
  "attack/durability",
  "activities/",
  "coding/verify/",
  "web/",
  "system/robust",
  "system/login",
  "attack/",
  "bench/extract-model",
  "memory/garden/garden-property",
  "chat/discovery/round",
  "clients/",
  "system/daemon",
  "system/tui",
  "chat/channels/discord",
  "embedding/local",
  "system/secrets-",
  "contract/",
  "memory/undo-property",
  "system/",
  "coding/",
  "safety/notify",
  "api/dashboard",
  "recall/",
  "chat/kill",
  "attention/budget/simulation",
  "privacy/slow-text",
  "tools/",
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
