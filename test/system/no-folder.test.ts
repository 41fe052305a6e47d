import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { makeFolders } from "../../src/base/files/files.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createInstallation } from "../../testkit/program/program.ts"

test("Folders are made with their parents, and the topmost new one is told", () => {
  const top = throwawayFolder()
  expect(makeFolders(join(top, "a", "b", "c"))).toBe(join(top, "a"))
  expect(existsSync(join(top, "a", "b", "c"))).toBe(true)
  expect(makeFolders(join(top, "a", "b", "c"))).toBeUndefined()
})

/** There making a folder fails as if its parent were missing, which Node's own way tries to make for ever. */
describe.skipIf(!existsSync("/proc/self"))("A home where no folder can be made", () => {
  test.each([["status"], ["memory", "add", "hello"], ["start"]])(
    "is told in one sentence: %s %s",
    async (...args) => {
      const { run } = createInstallation({ home: "/proc/reverie-test", cwd: "/" })
      const { code, stderr } = await run(...args)
      expect(code).toBe(1)
      expect(stderr).toMatch(
        /^reverie: \/proc\/reverie-test\/\w+ cannot be written: [^\n]*REVERIE_HOME[^\n]*\.\n$/,
      )
    },
  )
})
