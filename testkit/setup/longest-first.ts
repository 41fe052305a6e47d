import { BaseSequencer, type TestSpecification } from "vitest/node"

/** The files that take longest, by folder and name: they begin first, so that none is left running alone at the end. */
const longest = [
  "attack/model-server",
  "attack/repository",
  "attack/network",
  "clients/",
  "attack/durability",
  "attack/secrets",
  "attack/agents",
  "attack/gardener",
  "system/sessions",
  "system/writers",
  "system/secrets-",
  "system/mcp",
  "system/daemon",
  "system/every-command",
  "privacy/slow-text",
  "attack/",
  "memory/garden/garden-property",
  "memory/retrieval-property",
  "contract/storage",
  "activities/month",
  "system/",
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
