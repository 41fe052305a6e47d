import { expect, it } from "vitest"
import type { Answer } from "../../src/api/contract/answers.ts"
import { describeWithModel } from "../../testkit/embedding.ts"
import { createInstallation } from "../../testkit/program/program.ts"

const older = "Our CI is GitHub Actions."
const newer = "CI moved over to Buildkite last month, GitHub Actions is switched off."

describeWithModel("A possible update through the program", () => {
  it("is told when it is added, listed, shown with its older one, and decided", async () => {
    const { run, json, daemonHere } = createInstallation()
    await daemonHere()
    const first = await json<{ id: string }>("add", "--global", older)
    const told = await run("add", "--global", newer)
    expect(told.stderr + told.stdout).toContain(`This may replace: ${older}`)
    expect(told.stderr + told.stdout).toMatch(/resolve m_\w+ m_\w+ --keep m_\w+/)
    const { conflicts } = await json<Answer<"conflicts">>("conflicts")
    expect(conflicts).toMatchObject([
      { kind: "may-replace", memories: [{ content: newer }, { content: older }] },
    ])
    const second = conflicts[0]?.memories[0].id ?? ""
    expect((await run("conflicts")).stdout).toContain("may replace:")
    expect((await json<Answer<"status">>("status")).memory.conflicts).toBe(1)
    const shown = (await run("status")).stdout
    expect(shown).toContain("1 pair of memories")
    // All names stand in one column.
    expect(new Set(shown.match(/^ {2}\w+ +(?=\S)/gm)?.map((name) => name.length)).size).toBe(1)
    const found = await json<Answer<"search">>("search", "is our CI GitHub Actions")
    expect(found.results.map(({ id }) => id)).toEqual([second, first.id])
    expect(found.results[1]).toMatchObject({ older: second, suspected: true })
    expect((await run("search", "our CI")).stdout).toMatch(/Older, of .*: m_\w+ may replace it/)
    // What comes up in a session says so too, the older right below the newer.
    const { text } = await json<Answer<"recallPreview">>(
      "recall",
      "is our CI still GitHub Actions or Buildkite?",
    )
    const lines = text.split("\n").filter((line) => line.startsWith("- ["))
    expect(lines.map((line) => line.slice(3, 3 + second.length))).toEqual([second, first.id])
    expect(lines[0]).not.toContain("older:")
    expect(lines[1]).toContain(`; older: ${second} may replace it`)
    expect((await run("resolve", second, first.id, "--keep", second)).code).toBe(0)
    expect((await json<Answer<"conflicts">>("conflicts")).conflicts).toEqual([])
  })

  it("is told when a memory is edited to say it", async () => {
    const { run, json } = createInstallation()
    const edited = await json<{ id: string }>("add", "--global", "Our linter is Biome.")
    const first = await json<{ id: string }>("add", "--global", older)
    const told = await run("memory", "edit", edited.id, newer)
    expect(told.stderr + told.stdout).toContain(`This may replace: ${older}`)
    expect(told.stderr + told.stdout).toContain(`resolve ${edited.id} ${first.id} --keep ${edited.id}`)
    expect((await json<Answer<"conflicts">>("conflicts")).conflicts).toMatchObject([
      { kind: "may-replace", memories: [{ id: edited.id }, { id: first.id }] },
    ])
  })

  it("is nobody's question where the trained model is switched off", async () => {
    const { run, json } = createInstallation()
    await run("config", "set", "judgement.enabled", "false")
    await json("add", "--global", older)
    expect(await json<Answer<"add">>("add", "--global", newer)).not.toHaveProperty("mayReplace")
    expect((await json<Answer<"conflicts">>("conflicts")).conflicts).toEqual([])
  })
})
