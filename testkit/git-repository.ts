import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { throwawayFolder } from "./program/home.ts"

/** Runs git in a folder as somebody whose settings do not matter. */
export function git(folder: string, ...args: string[]): string {
  const identity = [
    ...["-c", "user.name=Test", "-c", "user.email=test@example.invalid"],
    ...["-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"],
  ]
  return execFileSync("git", ["-C", folder, ...identity, ...args], { stdio: "pipe", encoding: "utf8" }).trim()
}

/** A real repository that is gone after the test. */
export interface TestRepository {
  root: string
  git(...args: string[]): string
  /** Writes files without committing them. */
  write(files: Record<string, string>): void
  /** Writes files and commits everything there is. */
  commit(files?: Record<string, string>): void
}

export function createRepository(folder = join(throwawayFolder(), "work tree")): TestRepository {
  mkdirSync(folder, { recursive: true })
  git(folder, "init")
  return repositoryIn(folder)
}

/** A repository that is there already. */
export function repositoryIn(folder: string): TestRepository {
  const write = (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
  }
  return {
    root: folder,
    git: (...args) => git(folder, ...args),
    write,
    commit(files = {}) {
      write(files)
      git(folder, "add", "-A")
      git(folder, "commit", "--allow-empty", "-m", "change")
    },
  }
}
