import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { messageOf, UserError } from "../../base/errors.ts"
import type { CliNeeds } from "./needs.ts"

/** Opens a text in the user's editor and returns what they made of it. Needs a terminal. */
export async function editText({ env, input }: CliNeeds, text: string): Promise<string> {
  if (!input.isTTY || !process.stdout.isTTY) {
    throw new UserError(
      "usage",
      "There is no terminal for an editor here; give the new text on the command line.",
    )
  }
  if (env.editor === undefined) {
    throw new UserError("usage", "Set EDITOR to the program you edit with, or give the new text.")
  }
  const folder = await mkdtemp(join(env.temporary, "reverie-edit-"))
  const file = join(folder, "memory.md")
  try {
    await writeFile(file, `${text}\n`, { mode: 0o600 })
    await runEditor(env.editor, file)
    return (await readFile(file, "utf8")).trim()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs the editor as the shell would: its name may come with options. */
function runEditor(editor: string, file: string): Promise<void> {
  const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" })
  return new Promise((resolve, reject) => {
    const failed = (reason: string) =>
      reject(new UserError("failed", `The editor ${editor} failed (${reason}); nothing was changed.`))
    child.on("error", (error) => failed(messageOf(error)))
    child.on("close", (code) => (code === 0 ? resolve() : failed(`it ended with ${code}`)))
  })
}
