import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Gives a way to fill a folder with what is made once in a test file and then copied: git takes a dozen processes to
 * make a small repository, a copy takes none.
 */
export function preparedFolder(make: (folder: string) => void): (to: string) => void {
  let original: string | undefined
  return (to) => {
    original ??= makeOriginal(make)
    cpSync(original, to, { recursive: true })
  }
}

function makeOriginal(make: (folder: string) => void): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "reverie prepared-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  make(folder)
  // Git's examples of hooks are more files than all others.
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (path.endsWith(".sample")) rmSync(join(folder, path))
  return folder
}

/** What `git remote add origin` writes into a repository's configuration. */
export function originLines(url: string): string {
  return `[remote "origin"]\n\turl = ${url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`
}
