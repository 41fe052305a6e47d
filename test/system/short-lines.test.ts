import { describe, expect, it } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"

describe("What people read", () => {
  it("has short ids that commands take, and whole ones in JSON", async () => {
    const { run, json } = createPlainInstallation()
    await run("add", "The staging database runs on port 5433")
    await run("add", "Answers should be short")
    const { memories } = await json<Answer<"list">>("memory", "list")
    expect(memories.every(({ id }) => /^m_\w{16,}$/.test(id))).toBe(true)
    const { stdout } = await run("memory", "list")
    const [first = ""] = stdout.split("\n")
    const [id = ""] = first.split(" ")
    expect(id).toMatch(/^\w{6,8}$/)
    expect((await run("memory", "show", id)).stdout).toContain(first.slice(-20))
    const found = await run("search", "staging", "port")
    expect(found.stdout).toMatch(/^\w{6,8} {2}0\.\d\d/)
    const lists = [
      ["memory", "list"],
      ["search", "staging"],
      ["undo", "--list"],
    ]
    for (const words of lists)
      for (const line of (await run(...words)).stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
  })

  it("has help in groups with examples, and every command in one of them", async () => {
    const { run } = createPlainInstallation()
    const { stdout } = await run("--help")
    const headings = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual([
      "Options",
      "Remember",
      "Sessions and agents",
      "Daemon and tending",
      "Models and budget",
      "Chat",
      "Setup and troubleshooting",
      "Examples",
    ])
    expect((await run("memory", "--help")).stdout).toContain("Examples:")
    expect((await run("memory", "serch", "x")).stderr).toContain("Did you mean search?")
    expect((await run("help", "undo")).stdout).toContain("Usage: reverie undo")
  })
})
