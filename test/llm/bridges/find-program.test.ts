import { chmodSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { describe, expect, test } from "vitest"
import { systemClock } from "../../../src/base/clock.ts"
import { readEnvironment } from "../../../src/config/environment.ts"
import { createProgramFinder } from "../../../src/llm/bridges/find-program.ts"
import { throwawayFolder } from "../../../testkit/program/home.ts"

/** Programs in a folder of the PATH, behind one that has none. */
function world() {
  const folder = throwawayFolder()
  const path = [throwawayFolder(), folder, "/usr/bin", "/bin"].join(delimiter)
  const finder = createProgramFinder({ clock: systemClock, env: readEnvironment({ PATH: path }) })
  const file = join(folder, "claude")
  const write = (script: string, mode = 0o755) => {
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, mode)
  }
  return { folder, file, finder, write }
}

describe("Finding a program", () => {
  test("tells where it is and which version it says it is", async () => {
    const { finder, file, write } = world()
    write('echo "2.1.325 (Claude Code)"')
    expect(await finder.find("claude")).toEqual({ found: true, path: file, version: "2.1.325" })
    expect(await finder.find(file)).toEqual({ found: true, path: file, version: "2.1.325" })
  })

  test("asks a program for its version only when it has changed", async () => {
    const { finder, file, folder, write } = world()
    write(`echo asked >>"${folder}/asked"; echo 1.0.0`)
    await Promise.all([finder.find("claude"), finder.find("claude")])
    await finder.find("claude")
    expect(readFileSync(join(folder, "asked"), "utf8")).toBe("asked\n")
    write("echo 1.1.0")
    utimesSync(file, 1, 1)
    expect(await finder.find("claude")).toMatchObject({ version: "1.1.0" })
  })

  test("takes a program that tells no version", async () => {
    const { finder, write } = world()
    write("exit 1")
    expect(await finder.find("claude")).toMatchObject({ found: true, version: null })
  })

  test("does not take what is no program", async () => {
    const { finder, folder, write } = world()
    expect(await finder.find("claude")).toEqual({ found: false })
    expect(await finder.find(folder)).toEqual({ found: false })
    write("echo 1.0.0", 0o644)
    expect(await finder.find("claude")).toEqual({ found: false })
  })
})
