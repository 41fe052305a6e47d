import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { matchClusters } from "../../../src/memory/topics/clustering/match.ts"

const letters = (text: string) => text.split("")

describe("a cluster keeps its id from run to run", () => {
  test("when members come and go", () => {
    const before = [
      { id: "one", members: letters("abcd") },
      { id: "two", members: letters("efgh") },
    ]
    expect(matchClusters(before, [letters("efgxy"), letters("abc")])).toEqual(["two", "one"])
  })

  test("when it splits, in the larger part", () => {
    const before = [{ id: "one", members: letters("abcdefg") }]
    expect(matchClusters(before, [letters("ab"), letters("cdefg")])).toEqual([undefined, "one"])
  })

  test("when two become one, from the larger of them", () => {
    const before = [
      { id: "small", members: letters("ab") },
      { id: "large", members: letters("cdefg") },
    ]
    expect(matchClusters(before, [letters("abcdefg")])).toEqual(["large"])
  })

  test("but not for a few members in common", () => {
    const before = [{ id: "one", members: letters("abcdefghijk") }]
    expect(matchClusters(before, [letters("a0123456789")])).toEqual([undefined])
  })

  test("a second choice is taken when the first is gone", () => {
    const before = [
      { id: "one", members: letters("abcdef") },
      { id: "two", members: letters("gh") },
    ]
    expect(matchClusters(before, [letters("abcdef"), letters("ghxyz")])).toEqual(["one", "two"])
  })

  test("equals are decided by id, and nothing matches nothing", () => {
    const before = [
      { id: "b", members: letters("ab") },
      { id: "a", members: letters("cd") },
    ]
    expect(matchClusters(before, [letters("abcd")])).toEqual(["a"])
    expect(matchClusters([], [letters("ab")])).toEqual([undefined])
    expect(matchClusters(before, [])).toEqual([])
  })

  test("no id is given twice, and clusters that stayed the same keep theirs whatever else happens", () => {
    const labels = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 12, maxLength: 40 })
    fc.assert(
      fc.property(labels, labels, (before, after) => {
        const old = groups(before).map((members, index) => ({ id: `c${index}`, members }))
        const next = groups(after)
        const ids = matchClusters(old, next)
        const given = ids.filter((id) => id !== undefined)
        expect(new Set(given).size).toBe(given.length)
        for (const [place, members] of next.entries()) {
          const same = old.find((cluster) => cluster.members.join() === members.join())
          if (same) expect(ids[place]).toBe(same.id)
        }
      }),
    )
  })
})

function groups(labels: readonly number[]): string[][] {
  const byLabel = Map.groupBy(labels.keys(), (place) => labels[place])
  return [...byLabel.values()].map((places) => places.map(String))
}
