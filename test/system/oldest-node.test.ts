import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createInstallation } from "../support/program.ts"

const root = join(import.meta.dirname, "../..")
const node = join(root, "node_modules/.cache/oldest-node/node")

describe.skipIf(!existsSync(node) && process.env.CI !== "true")("The oldest Node we support", () => {
  test("runs the program, on a SQLite that is safe and can search", async () => {
    const { run, json } = createInstallation({ command: [node, join(root, "dist/main.js")] })
    expect((await run("doctor")).stdout).toMatch(/node +Node 22\.13\.0\n[\s\S]*SQLite 3\.(5[1-9]|[6-9]\d)/)
    expect(await run("start")).toMatchObject({ code: 0 })
    const added = await run("memory", "add", "told to an old Node")
    expect(added).toMatchObject({ code: 0, stderr: "Remembered.\n" })
    expect(await json("memory", "search", "old")).toMatchObject({
      results: [{ content: "told to an old Node" }],
    })
    expect(await run("stop")).toMatchObject({ code: 0 })
    expect(await run("undo")).toMatchObject({ code: 0 })
    expect(await json("memory", "search", "old")).toMatchObject({ results: [] })
  })
})
