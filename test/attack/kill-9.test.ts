import { execFileSync } from "node:child_process"
import { existsSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { both, contents, running, withSnapshot } from "../../testkit/program/durable.ts"
import { createPlainInstallation, ending } from "../../testkit/program/program.ts"

describe("kill -9", () => {
  test("while adding: what was acknowledged is there, once", async () => {
    const world = await running()
    const acknowledged: string[] = []
    const adding = (async () => {
      for (let one = 0; one < 500; one += 1) {
        const content = `number ${one}`
        if ((await world.add(content)) !== "acknowledged") return
        acknowledged.push(content)
        if (one === 30) setImmediate(() => world.daemon.process.kill("SIGKILL"))
      }
    })()
    await adding
    expect(acknowledged.length).toBeGreaterThan(30)
    const found = await contents(world.installation)
    expect(new Set(found).size).toBe(found.length)
    expect(found).toEqual(expect.arrayContaining(acknowledged))
  })

  test("while importing: the file can be imported again and nothing is there twice", async () => {
    const installation = createPlainInstallation()
    const file = join(installation.home, "in.jsonl")
    writeFileSync(file, Array.from({ length: 900 }, (_, index) => `{"content":"number ${index}"}`).join("\n"))
    const child = installation.start("memory", "import", file, "--verbatim")
    const log = `${installation.paths.databaseFile}-wal`
    while (!(existsSync(log) && statSync(log).size > 500_000)) await new Promise((next) => setImmediate(next))
    child.kill("SIGKILL")
    await ending(child)
    expect(await installation.run("memory", "import", file, "--verbatim")).toMatchObject({ code: 0 })
    expect(await contents(installation)).toHaveLength(900)
  })

  test("while a snapshot is taken or put back: there is never half a database", async () => {
    const { installation, name } = await withSnapshot()
    for (const [after, args] of [
      [200, ["snapshot", "take"]],
      [280, ["snapshot", "take"]],
      [200, ["snapshot", "restore", name]],
      [260, ["snapshot", "restore", name]],
      [320, ["snapshot", "restore", name]],
    ] as const) {
      const child = installation.start(...args)
      const ended = ending(child)
      execFileSync("sleep", [String(after / 1000)])
      child.kill("SIGKILL")
      await ended
      expect(await contents(installation)).toEqual(both)
    }
    const { snapshots } = await installation.json<{ snapshots: { name: string }[] }>("snapshot", "list")
    for (const one of snapshots) {
      expect(await installation.run("snapshot", "restore", one.name)).toMatchObject({ code: 0 })
      expect(await contents(installation)).toEqual(both)
    }
  })
})

test("three daemons at once: one stays", async () => {
  const installation = createPlainInstallation()
  const daemons = Array.from({ length: 3 }, () => installation.start("start", "--foreground"))
  const first = await Promise.race(daemons.map((one) => ending(one)))
  expect(first).toMatchObject({ code: 1, stderr: expect.stringMatching(/already/) })
  await installation.run("memory", "add", "told to the one that stayed")
  expect(await contents(installation)).toEqual(["told to the one that stayed"])
})
