import { spawnSync } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { createPlainInstallation, type Installation } from "../../testkit/program/program.ts"
import { add, contents, expectSentence } from "../../testkit/sessions/told.ts"

const program = fileURLToPath(new URL("../../bin/reverie", import.meta.url))

describe("At a terminal", () => {
  /** Runs a command on a terminal of its own, with these lines typed; `script` from util-linux makes it. */
  function atTerminal({ home }: Installation, typed: string, editor: string, ...args: string[]) {
    const env = { ...process.env, REVERIE_HOME: home, REVERIE_DATABASE_URL: "", EDITOR: editor, VISUAL: "" }
    const command = [program, ...args].map((word) => `'${word}'`).join(" ")
    const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
      env,
      input: typed,
      encoding: "utf8",
    })
    return { code: status, stdout }
  }

  /** An editor that does this to its file. */
  function editorThat({ home }: Installation, script: string): string {
    const file = join(home, "editor.sh")
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
    return `'${file}'`
  }

  test("edit opens the editor, and refuses what somebody else changed meanwhile", async () => {
    const installation = createPlainInstallation()
    const { json } = installation
    const id = await add(installation, "old words")
    const edit = (editor: string) => atTerminal(installation, "", editor, "memory", "edit", id)
    expect(edit(editorThat(installation, 'sed -i "s/old/new/" "$1"'))).toMatchObject({ code: 0 })
    expect(await json("memory", "show", id)).toMatchObject({ content: "new words", source: "user-corrected" })
    const meanwhile = `'${program}' memory edit ${id} quicker >/dev/null 2>&1; echo late > "$1"`
    const late = edit(editorThat(installation, meanwhile))
    expect(late).toMatchObject({ code: 1, stdout: expect.stringMatching(/changed meanwhile by cli/) })
    expect(await json("memory", "show", id)).toMatchObject({ content: "quicker" })
    const failed = edit(editorThat(installation, "exit 3"))
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/it ended with 3/) })
    expect(edit("")).toMatchObject({ code: 2, stdout: expect.stringMatching(/Set EDITOR/) })
  })

  test("purge has a word typed", async () => {
    const installation = createPlainInstallation()
    const id = await add(installation, "to go")
    const purge = (typed: string) => atTerminal(installation, typed, "", "memory", "purge", id)
    expect(purge("no\n")).toMatchObject({ code: 4, stdout: expect.stringMatching(/Nothing was deleted/) })
    expect(await contents(installation)).toEqual(["to go"])
    expect(purge("purge\n")).toMatchObject({ code: 0, stdout: expect.stringMatching(/Purged 1 memory/) })
    expect(await contents(installation)).toEqual([])
  })

  test("without one, edit asks for the text", async () => {
    const installation = createPlainInstallation()
    const id = await add(installation, "words")
    expectSentence(
      await installation.run("memory", "edit", id),
      2,
      /no terminal for an editor here; give the new text/,
    )
    expectSentence(
      await installation.run("memory", "edit", id, "x".repeat(20_001)),
      4,
      /Not changed: it is longer/,
    )
    expectSentence(
      await installation.run("memory", "edit", id, "--scope", "session"),
      2,
      /comes from no session/,
    )
    expectSentence(await installation.run("memory", "edit", id, "--scope", "project"), 2, /give --project/)
  })
})
