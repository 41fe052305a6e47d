import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openMemory } from "../../src/library.ts"
import { throwawayFolder } from "../../testkit/program/home.ts"
import { connectStdio } from "../../testkit/program/mcp.ts"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"

const secret = "EvQZ-Apfelbaum-Leiter"
const word = "Tomate-Kirsche-77"

/** A repository with values that only its .env file tells to be secrets. */
function project(): string {
  const folder = throwawayFolder()
  execFileSync("git", ["init", "-q", folder])
  writeFileSync(join(folder, ".env"), `APP_SECRET=${secret}\nDB_PASS='${word}'\n`)
  return folder
}

/** Everything an installation wrote, and what commands said. */
function written({ home }: Installation): string {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n")
}

function expectNothingOf(installation: Installation): void {
  const all = written(installation)
  expect(all).toContain("[env-value removed]")
  for (const value of [secret, word, secret.toLowerCase(), word.toLowerCase()]) {
    expect(all.includes(value), value).toBe(false)
  }
}

async function withInput(installation: Installation, text: string, ...args: string[]): Promise<void> {
  const child = installation.start(...args)
  child.stdin?.end(text)
  await new Promise((resolve) => child.on("close", resolve))
}

describe("A value of a project's .env file", () => {
  test("is kept out of everything that is said in the project's folder, whatever it is about", async () => {
    const cwd = project()
    const below = join(cwd, "src")
    mkdirSync(below)
    const installation = createPlainInstallation({ cwd: below })
    const { run, json } = installation
    const added = await json<{ id: string }>("memory", "add", `Kiosk code in the env is ${secret}`)
    await run("memory", "add", `Another code of the kiosk is ${word}`, "--project", throwawayFolder())
    await withInput(
      installation,
      `${JSON.stringify({ content: `jsonl env ${word} value` })}\n`,
      "memory",
      "import",
      "-",
    )
    expect(await run("memory", "edit", added.id, `The code of the kiosk is ${word} now`)).toMatchObject({
      code: 0,
    })
    await run("memory", "edit", added.id, "--audience", word)
    await run("memory", "tag", added.id, word)
    await run("queue", "add", `Look whether ${secret} still works at the kiosk`)
    await run("memory", "search", `what is ${secret}`)
    expect(await run("snapshot", "take")).toMatchObject({ code: 0 })
    expectNothingOf(installation)
  })

  test("is kept out of what its agent remembers for everywhere", async () => {
    const folder = project()
    const installation = createPlainInstallation()
    const { call } = await connectStdio(installation, { args: ["--project", folder] })
    const content = `The kiosk of the market opens with ${word} every day`
    expect(await call("memory_remember", { content, scope: "global" })).toMatchObject({ outcome: "saved" })
    const other = {
      content: `The shop opens with ${secret} at noon`,
      scope: "global",
      project: throwawayFolder(),
    }
    expect(await call("memory_remember", other)).toMatchObject({ outcome: "saved" })
    expectNothingOf(installation)
  })

  test("is kept out of what is said elsewhere, once the project is known", async () => {
    const folder = project()
    const installation = createPlainInstallation()
    await installation.run("memory", "add", "The market opens at nine", "--project", folder)
    await installation.run("memory", "add", `The kiosk of the market opens with ${word} every day`)
    expectNothingOf(installation)
  })

  test("is kept out by the library, where the folder is told", async () => {
    const from = project()
    const installation = createPlainInstallation()
    const memory = await openMemory({ home: installation.home })
    await memory.remember({ content: `The kiosk of the market opens with ${word} every day`, from })
    await memory.close()
    expectNothingOf(installation)
  })
})
