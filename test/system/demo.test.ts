import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { createPlainInstallation } from "../../testkit/program/program.ts"

test("the demo walks through everything in a home of its own, and leaves the user's alone", async () => {
  const temporary = throwawayFolder()
  const { spawn, json } = createPlainInstallation({ env: { TMPDIR: temporary } })
  const { code, stdout, stderr } = await spawn("demo", "--fast", "--remove")
  expect(code).toBe(0)
  const shows = [
    /codex +\w+ .*learned 1/,
    /claude-code +\w+ .*learned 2/,
    "It replaces m_",
    "its strength was raised",
    /conflicts\n(.*\n)*.*We deploy on Fridays/,
    /search .*\n.*\n +The staging database now listens on port 5433/,
    "duplicates merged",
    "create_pull_request",
    "Denied ask_",
    "Undone: forgotten",
  ]
  for (const one of shows) expect(stdout).toMatch(one)
  expect(stderr).toMatch(/Start with your own memory: .* init; open the dashboard: .* web/)
  expect(readdirSync(temporary).filter((name) => name.startsWith("reverie-demo"))).toEqual([])
  expect(await json("memory", "list", "--all-projects")).toMatchObject({ memories: [] })
})
