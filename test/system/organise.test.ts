import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createInstallation, type Installation } from "../../testkit/program/program.ts"
import { sentencesAbout, serveTopics } from "../../testkit/sessions/topics.ts"
import { describeDatabases } from "../../testkit/setup/databases.ts"

interface Clusters {
  clusters: { name: string; size: number; projectName: string | null; members: { id: string }[] }[]
  refreshed?: { outcome: string; memories: number }[]
}

interface Tags {
  tags: { name: string; memories: number; inferred: number }[]
}

/** An installation whose texts are turned into vectors by a server of ours. */
async function install(databaseUrl: string): Promise<Installation> {
  const installation = createInstallation({ databaseUrl })
  const settings = {
    model: "remote",
    remote_url: await serveTopics(),
    remote_model: "topics",
    remote_key_env: "",
  }
  for (const [key, value] of Object.entries(settings))
    expect(await installation.run("config", "set", `embedding.${key}`, value)).toMatchObject({ code: 0 })
  return installation
}

/** Imports notes about three subjects; those about the network have a tag. */
async function importNotes({ home, run }: Installation): Promise<void> {
  const lines = [
    ...sentencesAbout("network", 8).map((content) => ({ content, tags: ["nets"] })),
    ...sentencesAbout("kitchen", 20).map((content) => ({ content })),
    ...sentencesAbout("garden", 6).map((content) => ({ content, project: home })),
    ...sentencesAbout("kitchen", 6, 100).map((content) => ({ content, project: home })),
  ]
  const file = join(home, "notes.jsonl")
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"))
  expect(await run("memory", "import", file, "--verbatim")).toMatchObject({ code: 0 })
}

describeDatabases("Organising through the program", (create) => {
  test("works by command: clusters, inferred tags, clean-up and undo", async () => {
    const installation = await install((await create()).url)
    const { run, json } = installation
    expect((await run("memory", "clusters")).stderr).toContain("no clusters yet")
    await importNotes(installation)
    const { clusters, refreshed } = await json<Clusters>("memory", "clusters", "--refresh", "--members", "2")
    expect(refreshed).toMatchObject([
      { outcome: "refreshed", memories: 28 },
      { outcome: "refreshed", memories: 12 },
    ])
    expect(clusters.map(({ name, size, members }) => [name.split(",")[0], size, members.length])).toEqual([
      ["kitchen", 20, 2],
      ["network", 8, 2],
      [expect.stringMatching(/garden|kitchen/), 6, 2],
      [expect.stringMatching(/garden|kitchen/), 6, 2],
    ])
    const shown = await run("memory", "clusters")
    expect(shown.stdout).toMatch(/^kitchen.* {2}20 memories {2}c_\w+\n {2}m_\w+ {2}kitchen note/)

    const added = await json<{ id: string }>("memory", "add", "network note 60: one more", "--tag", "net")
    const one = await json("memory", "show", added.id)
    expect(one).toMatchObject({ tags: ["net"], clusters: [{ name: expect.stringContaining("network") }] })
    await run("memory", "clusters", "--refresh")
    expect(await json("memory", "show", added.id)).toMatchObject({ tags: ["net"], inferredTags: ["nets"] })
    expect((await run("memory", "show", added.id)).stdout).toMatch(/inferred tags +nets\ncluster +network/)

    const { tags } = await json<Tags>("memory", "tags")
    expect(tags).toEqual([
      { name: "nets", memories: 8, inferred: 1 },
      { name: "net", memories: 1, inferred: 0 },
    ])
    const plan = { merged: [{ from: "net", into: "nets", memories: 1 }], dropped: [] }
    expect(await json("memory", "tags", "--clean-up", "--dry-run")).toMatchObject({ dryRun: true, ...plan })
    expect((await json<Tags>("memory", "tags")).tags).toEqual(tags)
    expect((await run("memory", "tags", "--clean-up")).stdout).toBe("net → nets  (1 memory)\n")
    expect((await run("memory", "tags")).stdout).toMatch(/^nets +9 +and 1 inferred\n$/)
    expect(await json("undo")).toMatchObject({ outcome: "undone" })
    expect((await json<Tags>("memory", "tags")).tags).toEqual(tags)
    expect((await run("memory", "tags", "--dry-run")).code).toBe(2)
  })

  test("is done by the daemon on its own, and undo still means what the user did", async () => {
    const installation = await install((await create()).url)
    const daemon = await installation.daemonHere()
    await importNotes(installation)
    const entry = await daemon.entry("clusters.refreshed")
    expect(entry).toMatchObject({ actor: "daemon", subject: "global", data: { memories: 28, clusters: 2 } })
    const { clusters } = await daemon.client.clusters({})
    expect(clusters.map(({ size }) => size)).toEqual([20, 8])
    await daemon.client.add({ content: "kitchen note 70: told last", verbatim: true })
    expect((await daemon.client.clusters({})).clusters.map(({ size }) => size)).toEqual([21, 8])
    expect(await installation.json("undo")).toMatchObject({ summary: "kitchen note 70: told last" })
    expect((await daemon.client.clusters({})).clusters.map(({ size }) => size)).toEqual([20, 8])
  })
})
