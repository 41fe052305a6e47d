import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"

const root = join(import.meta.dirname, "../..")

/** Runs the direction check on a small tree with these files. */
function check(files: Record<string, string>) {
  const folder = throwawayFolder()
  for (const name of [".dependency-cruiser.mjs", "tsconfig.json", "package.json"]) {
    copyFileSync(join(root, name), join(folder, name))
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const args = ["src", "--config", ".dependency-cruiser.mjs", "--output-type", "err-long"]
  const { status, stdout } = spawnSync(join(root, "node_modules/.bin/depcruise"), args, {
    cwd: folder,
    encoding: "utf8",
  })
  return { status, text: stdout.replaceAll(/\s+/g, " ") }
}

const memory = "export const memory = 1\n"

test("an import that goes down is fine", () => {
  const planted = 'import { memory } from "../memory/model/memory.ts"\nexport const seen = memory\n'
  expect(check({ "src/memory/model/memory.ts": memory, "src/api/app.ts": planted })).toMatchObject({
    status: 0,
  })
})

test("an import that goes up is refused, with a comment for whoever planted it", () => {
  const planted = 'import { memory } from "../memory/model/memory.ts"\nexport const seen = memory\n'
  const { status, text } = check({ "src/memory/model/memory.ts": memory, "src/storage/planted.ts": planted })
  expect(status).not.toBe(0)
  expect(text).toContain("storage-looks-down: src/storage/planted.ts → src/memory/model/memory.ts")
  expect(text).toContain("Move the code down, or hand it in as an argument")
})

test("coding and chat do not know each other, and nobody but command-line.ts loads the composition root", () => {
  const chat = 'import { memory } from "../coding/session.ts"\nexport const seen = memory\n'
  const sideways = check({ "src/coding/session.ts": memory, "src/chat/channel.ts": chat })
  expect(sideways.text).toContain("chat-looks-down")
  const up = 'import { memory } from "../daemon.ts"\nexport const seen = memory\n'
  expect(check({ "src/daemon.ts": memory, "src/surfaces/tui.ts": up }).text).toContain("one-composition-root")
})

test("files that import each other are refused", () => {
  const one = 'import { two } from "./two.ts"\nexport const one = two\n'
  const two = 'import { one } from "./one.ts"\nexport const two = () => one\n'
  expect(check({ "src/base/one.ts": one, "src/base/two.ts": two }).text).toContain("no-circles")
})
