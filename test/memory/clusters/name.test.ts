import { describe, expect, test } from "vitest"
import { nameClusters } from "../../../src/memory/topics/clustering/name.ts"

const database = [
  "The migrations of the Postgres schema run before the service starts",
  "Postgres needs an index on created_at, see the migrations folder",
  "Write migrations by hand, the ORM for Postgres gets them wrong",
  "Run Postgres in Docker for the tests",
]
const styling = [
  "The user prefers Tailwind for styling buttons",
  "Buttons are styled with Tailwind, never with inline styles",
  "Dark mode uses Tailwind's own classes on the buttons",
]
const rest = ["The tests run on every push", "The user likes short answers", "Deploy the service on Mondays"]

describe("a cluster's name", () => {
  test("is made of words its texts have in common and the others lack", async () => {
    const [first, second] = await nameClusters([database, styling], rest)
    expect(first).toBe("postgres, migrations")
    expect(second).toBe("buttons, tailwind")
  })

  test("does not say a word twice in two forms, or how frequent words are everywhere", async () => {
    const texts = ["cache the build", "caches of builds", "the build cache", "caching builds in the cache"]
    const [name] = await nameClusters([texts], ["the weather", "for the user"])
    expect(name?.split(", ").sort()).toEqual(["build", "cache"])
  })

  test("does not depend on the order of the texts or groups", async () => {
    const [styled, stored] = await nameClusters([styling.toReversed(), database.toReversed()], rest)
    expect(await nameClusters([database, styling], rest)).toEqual([stored, styled])
  })

  test("works for scripts without spaces", async () => {
    const texts = ["数据库迁移在启动前运行", "数据库需要索引", "数据库备份每天一次", "我们使用数据库连接池"]
    const [name] = await nameClusters([texts], ["按钮使用深色样式", "用户喜欢简短的回答"])
    expect(name).toContain("数据")
  })

  test("is missing when there are no words", async () => {
    expect(await nameClusters([["123 456", "…"], []])).toEqual([undefined, undefined])
    expect(await nameClusters([])).toEqual([])
  })

  test("of many long texts is found with pauses, and the search can be called off", async () => {
    const texts = Array.from(
      { length: 400 },
      (_, index) => `${"some longer text about gardens ".repeat(20)} ${index}`,
    )
    let pauses = 0
    const calledOff = new AbortController()
    const pause = async () => {
      pauses += 1
    }
    expect(await nameClusters([texts], rest, { pause })).toEqual(["gardens, longer, text"])
    expect(pauses).toBeGreaterThan(2)
    calledOff.abort(new Error("called off"))
    await expect(nameClusters([texts], rest, { pause, signal: calledOff.signal })).rejects.toThrow(
      "called off",
    )
  })
})
