import { realpathSync } from "node:fs"
import { readWithin } from "../../../base/files/read-bounded.ts"
import type { Config } from "../../../config/schema.ts"
import { testCommandEntry } from "../../../config/settings/tending.ts"
import type { Worktree } from "../worktree/record.ts"

/** How a project's tests are run, and who says so. */
export interface TestCommand {
  command: string
  from: string
}

const longestFile = 1024 * 1024

/**
 * Finds how the tests of a project are run: what the person's own configuration says for its folder, else what its
 * files say. Undefined where neither does.
 */
export async function findTestCommand(
  work: Pick<Config["work"], "test_commands">,
  { root, project }: Pick<Worktree, "root" | "project">,
): Promise<TestCommand | undefined> {
  const own = ownCommand(work.test_commands, project)
  if (own !== undefined) return { command: own, from: "work.test_commands" }
  for (const [file, read] of Object.entries(byFile)) {
    const found = await readWithin(root, file, { mostBytes: longestFile, links: "none" })
    const command = found.outcome === "read" ? read(found.text) : undefined
    if (command !== undefined) return { command, from: file }
  }
  return undefined
}

function ownCommand(entries: readonly string[], project: string): string | undefined {
  const here = realOf(project)
  for (const entry of entries) {
    const { folder, command } = testCommandEntry.exec(entry)?.groups ?? {}
    if (folder !== undefined && realOf(folder.replace(/\/+$/, "")) === here) return command
  }
  return undefined
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** What npm writes into a new project. */
const noTests = /no test specified/

/** What each file says of tests; the first that says something counts. */
const byFile: Record<string, (text: string) => string | undefined> = {
  "package.json": (text) => {
    const script = testScript(text)
    return script === undefined || noTests.test(script) ? undefined : "npm test --silent"
  },
  Makefile: (text) => (/^test\s*:(?!=)/m.test(text) ? "make test" : undefined),
  makefile: (text) => (/^test\s*:(?!=)/m.test(text) ? "make test" : undefined),
  "pytest.ini": () => "python3 -m pytest -q",
  "tox.ini": (text) => (/^\[pytest\]/m.test(text) ? "python3 -m pytest -q" : undefined),
  "setup.cfg": (text) => (/^\[tool:pytest\]/m.test(text) ? "python3 -m pytest -q" : undefined),
  "pyproject.toml": (text) => (/pytest/.test(text) ? "python3 -m pytest -q" : undefined),
  "conftest.py": () => "python3 -m pytest -q",
  "Cargo.toml": () => "cargo test --offline --quiet",
  "go.mod": () => "go test ./...",
}

function testScript(text: string): string | undefined {
  try {
    const read: unknown = JSON.parse(text)
    const scripts = typeof read === "object" && read !== null && "scripts" in read ? read.scripts : undefined
    const test =
      typeof scripts === "object" && scripts !== null && "test" in scripts ? scripts.test : undefined
    return typeof test === "string" && test.trim() !== "" ? test : undefined
  } catch {
    return undefined
  }
}
