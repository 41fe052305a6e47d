import { z } from "zod"
import { realPath } from "../../../base/files/files.ts"
import { readWithin } from "../../../base/files/read-bounded.ts"
import type { Config } from "../../../config/schema.ts"
import { testCommandEntry } from "../../../config/settings/tending.ts"
import type { Worktree } from "../worktree/record.ts"

const longestFile = 1024 * 1024

/** The command that runs a project's tests: from the user's configuration, else from the project's files. */
export async function findTestCommand(
  work: Pick<Config["work"], "test_commands">,
  { root, project }: Pick<Worktree, "root" | "project">,
): Promise<string | undefined> {
  const own = ownCommand(work.test_commands, project)
  if (own !== undefined) return own
  for (const [file, read] of Object.entries(byFile)) {
    const found = await readWithin(root, file, { mostBytes: longestFile, links: "none" })
    const command = found.outcome === "read" ? read(found.text) : undefined
    if (command !== undefined) return command
  }
  return undefined
}

function ownCommand(entries: readonly string[], project: string): string | undefined {
  const here = realPath(project) ?? project
  for (const entry of entries) {
    const { folder, command } = testCommandEntry.exec(entry)?.groups ?? {}
    const named = folder?.replace(/\/+$/, "")
    if (named !== undefined && (realPath(named) ?? named) === here) return command
  }
  return undefined
}

/** The script that npm writes into a new project. */
const noTests = /no test specified/

/** The test command that each file implies; the first one counts. */
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

const packageSchema = z.object({ scripts: z.object({ test: z.string() }) })

function testScript(text: string): string | undefined {
  try {
    const { test } = packageSchema.parse(JSON.parse(text)).scripts
    return test.trim() === "" ? undefined : test
  } catch {
    return undefined
  }
}
