import { execFileSync, spawnSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { createRepository, git, repositoryIn, type TestRepository } from "../git-repository.ts"
import { preparedFolder } from "../prepared-folder.ts"
import { throwawayFolder } from "../program/home.ts"

/** A repository that somebody made to have a program run, and what tells whether it ran. */
export interface HostileRepository extends TestRepository {
  /** The program that must not run. */
  spy: string
  hasRun(): boolean
  /** Forgets that it ran. */
  calm(): void
}

const prepare = preparedFolder((folder) => {
  const repository = createRepository(folder)
  const manifest = (react: string) => JSON.stringify({ name: "tides", dependencies: { react } }, null, 2)
  repository.commit({
    "package.json": manifest("^17.0.0"),
    "src/old.ts": "export function computeMoon() {}\n",
  })
  repository.commit({ "package.json": manifest("^18.0.0"), "src/app.ts": "export const tide = 1\n" })
  repository.git("mv", "src/old.ts", "src/new.ts")
  repository.commit({ "src/new.ts": "export function computeSun() {}\n" })
})

/** A repository with a history that gives verification something to look up, and a program to plant. */
export function hostileRepository(): HostileRepository {
  const root = join(throwawayFolder(), "work tree")
  prepare(root)
  const repository = repositoryIn(root)
  const marker = join(throwawayFolder(), "ran")
  const spy = join(spaceless(), "spy.sh")
  writeFileSync(spy, `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat >/dev/null 2>&1 </dev/null\nexit 1\n`)
  chmodSync(spy, 0o755)
  return {
    ...repository,
    spy,
    hasRun: () => existsSync(marker),
    calm: () => rmSync(marker, { force: true }),
  }
}

/** Settings that name a program are given to a shell, so its path has no space in it. */
function spaceless(): string {
  const folder = throwawayFolder()
  const other = folder.replaceAll(" ", "-")
  symlinkSync(folder, other)
  onTestFinished(() => rmSync(other, { force: true }))
  return other
}

/** Has a repository's configuration say these things. */
export function configure({ root }: TestRepository, settings: Record<string, string>): void {
  for (const [name, value] of Object.entries(settings)) git(root, "config", "--add", name, value)
}

/** Takes an object away, as a partial clone does that never fetched it. */
export function lose({ root, git: run }: TestRepository, object: string): void {
  const id = run("rev-parse", object)
  rmSync(join(root, ".git/objects", id.slice(0, 2), id.slice(2)), { force: true })
}

/** A partial clone whose list of what is ignored was never fetched. */
export function partialClone(repository: HostileRepository, settings: Record<string, string>): void {
  repository.commit({ ".gitignore": "*.log\n" })
  repository.git("update-index", "--skip-worktree", ".gitignore")
  rmSync(join(repository.root, ".gitignore"))
  lose(repository, "HEAD:.gitignore")
  promise(repository, settings)
}

/** Says that what is missing can be fetched. */
export function promise(repository: HostileRepository, settings: Record<string, string>): void {
  configure(repository, {
    "core.repositoryFormatVersion": "1",
    "extensions.partialClone": "origin",
    "remote.origin.promisor": "true",
    ...settings,
  })
}

/** Makes git think that a file may have changed, so that it looks at it through the repository's filters. */
export function touch({ root }: TestRepository, file: string): void {
  appendFileSync(join(root, file), "// more\n")
  utimesSync(join(root, file), 1, 1)
}

/** Makes a commit that claims to be signed. */
export function commitSigned({ root, git: run }: TestRepository, kind: "PGP" | "SSH"): void {
  const body = execFileSync("git", ["-C", root, "cat-file", "commit", "HEAD"], { encoding: "utf8" })
  const [first, second] =
    kind === "PGP" ? ["PGP SIGNATURE", "PGP SIGNATURE"] : ["SSH SIGNATURE", "SSH SIGNATURE"]
  const signature = `gpgsig -----BEGIN ${first}-----\n \n iQEzBAABCAAdFiEE\n -----END ${second}-----`
  const signed = body.replace(/^(committer .*)$/m, `$1\n${signature}`)
  const id = execFileSync("git", ["-C", root, "hash-object", "-t", "commit", "-w", "--stdin"], {
    input: signed,
  })
  run("update-ref", "HEAD", String(id).trim())
}

/** Puts git's own folder somewhere else in the tree, with a file or a link in its place. */
export function moveGitFolder({ root }: TestRepository, by: "file" | "link"): string {
  const to = join(root, "docs/assets")
  mkdirSync(join(root, "docs"), { recursive: true })
  execFileSync("mv", [join(root, ".git"), to])
  if (by === "file") writeFileSync(join(root, ".git"), "gitdir: docs/assets\n")
  else symlinkSync("docs/assets", join(root, ".git"))
  return to
}

/** A pipe nobody ever writes to: whoever opens it for reading waits for ever. */
export function pipe(path: string): void {
  rmSync(path, { force: true, recursive: true })
  mkdirSync(join(path, ".."), { recursive: true })
  execFileSync("mkfifo", [path])
}

/** A socket that nobody listens on. */
export function socket(path: string): void {
  mkdirSync(join(path, ".."), { recursive: true })
  const listen =
    "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))"
  spawnSync(process.execPath, ["-e", listen, path])
}

/** A text file of the user's own, somewhere else, that a link may lead to. */
export function elsewhere(text: string): string {
  const file = join(throwawayFolder(), "private")
  writeFileSync(file, text)
  return file
}
