import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { realpath, stat } from "node:fs/promises"
import { basename, dirname, isAbsolute } from "node:path"
import { promisify } from "node:util"
import type { Clock } from "../base/clock.ts"
import { encodeBase32 } from "../base/random.ts"
import { appendEntry, type By } from "../storage/journal.ts"
import { sql, sqlList } from "../storage/sql.ts"
import type { Reader, Transaction } from "../storage/transaction.ts"

const run = promisify(execFile)

/** How long what git said of a folder is believed. */
const believedMs = 10_000
const mostKept = 1000

/** Finds projects, asking git about the same folder only now and then. */
export interface ProjectFinder {
  find(project: string): Promise<ProjectIdentity>
}

/** Makes a finder that remembers for a short while. */
export function createProjectFinder({ clock }: { clock: Clock }): ProjectFinder {
  const found = new Map<string, { identity: Promise<ProjectIdentity>; until: number }>()
  return {
    find(project) {
      const now = clock.now()
      const known = found.get(project)
      if (known && known.until > now) return known.identity
      if (found.size >= mostKept) found.clear()
      const identity = identifyProject(project)
      found.set(project, { identity, until: now + believedMs })
      return identity
    },
  }
}

/** What tells a folder's project apart: any key it shares with another folder makes them the same project. */
export interface ProjectIdentity {
  name: string
  /** The work tree's top folder, where .reverie/config.toml is looked for. */
  root: string
  remote: string | null
  /** Strongest first: the git remote, then git's common folder or, outside git, the folder itself. */
  keys: string[]
}

/**
 * Finds out which project is meant. Worktrees and clones of one repository get the same keys; a text that is
 * not an absolute path names a project that has no folder here.
 */
async function identifyProject(project: string): Promise<ProjectIdentity> {
  const folder = await existingFolder(project)
  if (folder === undefined) {
    const key = isAbsolute(project) ? `path:${project}` : `name:${project}`
    return { name: basename(project), root: project, remote: null, keys: [key] }
  }
  const top = await git(folder, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
  const [root, common] = top?.split("\n") ?? []
  if (root === undefined || common === undefined) {
    return { name: basename(folder), root: folder, remote: null, keys: [`path:${folder}`] }
  }
  const remote = await remoteOf(folder)
  const keys = [...(remote === null ? [] : [`remote:${remote}`]), `path:${await realpath(common)}`]
  const name = basename(remote ?? (basename(common) === ".git" ? dirname(common) : root))
  return { name, root, remote, keys }
}

async function existingFolder(project: string): Promise<string | undefined> {
  if (!isAbsolute(project)) return undefined
  try {
    const folder = await realpath(project)
    return (await stat(folder)).isDirectory() ? folder : dirname(folder)
  } catch {
    return undefined
  }
}

async function remoteOf(folder: string): Promise<string | null> {
  const names = (await git(folder, "remote"))?.split("\n").filter((name) => name !== "") ?? []
  const name = names.includes("origin") ? "origin" : names[0]
  const url = name === undefined ? undefined : await git(folder, "remote", "get-url", name)
  return url === undefined || url === "" ? null : normalRemote(url)
}

/** The same text for every way of writing one remote: without scheme, user, port, .git and case of the host. */
function normalRemote(url: string): string {
  const scp = /^(?:[^@/]+@)?([^:/]+):(?!\/\/)(.+)$/.exec(url)
  const full = /^[a-z+]+:\/\/(?:[^@/]*@)?([^:/]*)(?::\d+)?\/(.+)$/i.exec(url)
  const [, host, path] = full ?? scp ?? []
  const place = host === undefined || path === undefined ? url : `${host.toLowerCase()}/${path}`
  return place
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .replace(/\/+$/, "")
}

/** Asks git, read-only; undefined when it is not installed or the folder is not in a repository. */
async function git(folder: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run("git", ["-C", folder, ...args], { timeout: 10_000 })
    return stdout.trim()
  } catch {
    return undefined
  }
}

/** The id of a known project, or undefined if nothing was ever remembered for it. */
export async function findProject(on: Reader, identity: ProjectIdentity): Promise<string | undefined> {
  return (await knownKeys(on, identity))[0]?.project
}

interface KeyRow {
  key: string
  project: string
}

/** The keys of this identity that are known, strongest first. */
async function knownKeys(on: Reader, identity: ProjectIdentity): Promise<KeyRow[]> {
  const rows = await on.read<KeyRow>(sql`
    select key, project from project_keys where key in ${sqlList(identity.keys)}`)
  return rows.sort((a, b) => identity.keys.indexOf(a.key) - identity.keys.indexOf(b.key))
}

/** The id of a project, making it known if it is new, and remembering new keys of a known one. */
export async function ensureProject(
  transaction: Transaction,
  identity: ProjectIdentity,
  at: number,
  by: By,
): Promise<string> {
  const known = await knownKeys(transaction, identity)
  const id = known[0]?.project ?? projectId(identity)
  if (known.length === 0) {
    await transaction.run(sql`
      insert into projects (id, name, root, remote, created_at)
      values (${id}, ${identity.name}, ${identity.root}, ${identity.remote}, ${at}) on conflict do nothing`)
    await appendEntry(transaction, at, { ...by, kind: "project.seen", subject: id, data: identity })
  }
  for (const key of identity.keys) {
    if (known.some((row) => row.key === key)) continue
    await transaction.run(
      sql`insert into project_keys (key, project) values (${key}, ${id}) on conflict do nothing`,
    )
  }
  return id
}

/** Made from the strongest key, so that two machines that share nothing yet arrive at the same id. */
function projectId(identity: ProjectIdentity): string {
  const hash = createHash("sha256")
    .update(identity.keys[0] ?? identity.root)
    .digest()
  return `p_${encodeBase32(hash.subarray(0, 10))}`
}
