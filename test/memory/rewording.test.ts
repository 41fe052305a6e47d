import { describe, expect, it } from "vitest"
import { lostDetail, rewordingProblem } from "../../src/language/rewording.ts"

describe("A new wording", () => {
  it.each([
    ["On Fridays deploys are forbidden", "Deploys are forbidden on Fridays"],
    ["the release script, it lives in tools/release.sh", "The release script lives in tools/release.sh"],
    ["nightly export it does run on heron", "The nightly export runs on heron."],
    ["Never push to main", "Do not push to main"],
    ["prod db is big", "The prod database is big"],
  ])("of %j may be %j", (old, text) => {
    expect(rewordingProblem(old, text)).toBeUndefined()
  })

  it.each([
    ["The port is 8080", "The port is 9090", '"8080" is missing'],
    [
      "Install with npm ci",
      "Install with npm ci --force",
      '"force" is neither in the memory nor in its source',
    ],
    ["Never push to main", "Push to main", "it has more or fewer negations"],
    ["Deploys need a review", "Deploys may need a review", "it applies more widely or more narrowly"],
    ["Alice manages Bob", "Bob manages Alice", "its words have another order, which may change the meaning"],
    [
      "Alice manages Bob",
      "Alice is managed by Bob",
      "its words have another order, which may change the meaning",
    ],
  ])("of %j may not be %j", (old, text, problem) => {
    expect(rewordingProblem(old, text)).toBe(problem)
  })

  it("may take words from where the memory comes from, but no figures and no denials", () => {
    const source = "which gateway port is it, 9090? not on staging"
    expect(rewordingProblem("The port is 8080", "The gateway port is 8080", source)).toBeUndefined()
    expect(rewordingProblem("The port is 8080", "The port is 8080 or 9090", source)).toBe('"9090" is new')
    expect(rewordingProblem("The port is 8080", "The port is not 8080", source)).toBe(
      "it has more or fewer negations",
    )
  })
})

describe("What a merge would lose", () => {
  it("is what is exact, not how it is said", () => {
    expect(lostDetail("We use restic for backups", "Backups are made with restic")).toBeUndefined()
    expect(lostDetail("Deploys run at 17:30", "Deploys run")).toBe("17")
    expect(lostDetail("It is run by Ines", "It is run by somebody")).toBe("ines")
    expect(lostDetail("Deploys are not announced", "Deploys are announced")).toBe("a denial")
  })
})
