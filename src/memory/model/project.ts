import { createHash } from "node:crypto"
import { realpath, stat } from "node:fs/promises"
import { basename, dirname, isAbsolute, resolve } from "node:path"
import type { Clock } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import { encodeBase32 } from "../../base/random.ts"
import { loadProjectConfig, projectConfigFile } from "../../config/load.ts"
import type { Config } from "../../config/schema.ts"
import { findWorkTree } from "../../git/git-folder.ts"
import { askGit } from "../../git/run-git.ts"
import { appendEntry, type By } from "../../storage/journal.ts"
import { sql, sqlList, sqlRows } from "../../storage/sql.ts"
import type { Reader, Transaction } from "../../storage/transaction.ts"

/** How long an answer of git about a folder is reused. */
const cacheMs = 10_000
const maxCached = 1000

/** Identifies projects, and caches the answers for ten seconds. */
export interface ProjectFinder {
  find(project: string): Promise<ProjectIdentity>
}

export function createProjectFinder({ clock }: { clock: Clock }): ProjectFinder {
  const found = new Map<string, { identity: Promise<ProjectIdentity>; until: number }>()
  return {
    find(project) {
      const now = clock.now()
      const known = found.get(project)
      if (known && known.until > now) return known.identity
      if (found.size >= maxCached) found.clear()
      const identity = identifyProject(project)
      found.set(project, { identity, until: now + cacheMs })
      return identity
    },
  }
}

/** Identifies a folder's project: two folders that share a key belong to the same project. */
export interface ProjectIdentity {
  name: string
  /** The work tree's top folder, which may have a .reverie/config.toml; null for a project without a folder. */
  root: string | null
  remote: string | null
  /** Strongest first: the git remote, then git's common folder or, outside git, the folder itself. */
  keys: string[]
}

/**
 * Identifies a project by a folder or a name. Worktrees and clones of one repository get the same keys. A text that is
 * not an absolute path is the name of a project without a folder.
 */
async function identifyProject(project: string): Promise<ProjectIdentity> {
  const folder = await existingFolder(project)
  if (folder === undefined) {
    const key = isAbsolute(project) ? `path:${project}` : `name:${project}`
    return { name: basename(project), root: null, remote: null, keys: [key] }
  }
  // Git must accept the repository too: it refuses those of other users.
  const root = (await findWorkTree(folder))?.root
  const common = root && (await askGit(root, "rev-parse", "--path-format=absolute", "--git-common-dir"))
  if (root === undefined || common === undefined) {
    const own = (await folderWithConfig(folder)) ?? folder
    return { name: basename(own), root: own, remote: null, keys: [`path:${own}`] }
  }
  const remote = await remoteOf(root)
  const keys = [...(remote === null ? [] : [`remote:${remote}`]), `path:${await realpath(common)}`]
  const name = basename(remote ?? (basename(common) === ".git" ? dirname(common) : root))
  return { name, root, remote, keys }
}

/** Outside git, a folder with its own configuration is a project with everything below it. */
async function folderWithConfig(folder: string): Promise<string | undefined> {
  for (let current = folder; ; current = dirname(current)) {
    if (await hasConfig(current)) return current
    if (current === dirname(current)) return undefined
  }
}

/** Whether a folder has its own configuration file, readable or not. */
export function hasConfig(folder: string): Promise<boolean> {
  return stat(projectConfigFile(folder)).then(
    () => true,
    () => false,
  )
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

async function remoteOf(root: string): Promise<string | null> {
  const lines = (await askGit(root, "remote", "-v"))?.split("\n") ?? []
  // Each line is NAME, a tab, and the address to fetch from, with the user's git settings applied.
  const remotes = lines.flatMap((line) => {
    const { name, url } = /^(?<name>[^\t]+)\t(?<url>.+) \(fetch\)/.exec(line)?.groups ?? {}
    return name === undefined || url === undefined ? [] : [{ name, url }]
  })
  const chosen = remotes.find(({ name }) => name === "origin") ?? remotes[0]
  return chosen === undefined ? null : normalizeRemote(chosen.url, root)
}

/**
 * The same text for every spelling of one remote: without scheme, user, port and .git, with the host in lower case. A
 * remote on this machine becomes its full path. A query string is removed: it may contain a token.
 */
function normalizeRemote(url: string, folder: string): string {
  const full = /^[a-z+]+:\/\/(?:[^@/]*@)?([^:/]*)(?::\d+)?\/(.+)$/i.exec(url)
  const scp = full ? null : /^(?:[^@/]+@)?([^:/]+):(.+)$/.exec(url)
  const [, host = "", path = ""] = full ?? scp ?? []
  const address = host === "" ? resolve(folder, full ? `/${path}` : url) : `${host.toLowerCase()}/${path}`
  return address
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .replace(/\/+$/, "")
}

/** The configuration with the project's own restrictions applied. */
export async function projectConfig(config: Config, { root }: ProjectIdentity): Promise<Config> {
  return root === null ? config : loadProjectConfig(config, root)
}

/**
 * The ids of a project; none if nothing was ever remembered for it. Several, strongest first, if a repository was known
 * by its folder and then got a remote that was known as well.
 */
export async function findProjects(on: Reader, identity: ProjectIdentity): Promise<string[]> {
  return [...new Set((await knownKeys(on, identity)).map((row) => row.project))]
}

/** The ids of a project; throws if nothing was ever remembered for it. */
export async function requireProject(
  { db, projects }: { db: Reader; projects: ProjectFinder },
  project: string,
): Promise<string[]> {
  const known = await findProjects(db, await projects.find(project))
  if (known.length > 0) return known
  throw new UserError("not-found", `There are no memories of the project ${project}.`)
}

interface KeyRow {
  key: string
  project: string
}

/** The stored keys of this identity, strongest first. */
async function knownKeys(on: Reader, identity: ProjectIdentity): Promise<KeyRow[]> {
  const rows = await on.read<KeyRow>(sql`
    select key, project from project_keys where key in ${sqlList(identity.keys)}`)
  return rows.sort((a, b) => identity.keys.indexOf(a.key) - identity.keys.indexOf(b.key))
}

/** The id a project has, or will have once something is remembered for it. */
export async function projectIdFor(on: Reader, identity: ProjectIdentity): Promise<string> {
  return (await knownKeys(on, identity))[0]?.project ?? projectId(identity)
}

const maxRoots = 100

/** The top folders of the newest projects, whose .env files name secrets; some may be on other machines. */
export async function recentRoots(on: Reader): Promise<string[]> {
  const rows = await on.read<{ root: string }>(
    sql`select root from projects where root <> '' order by created_at desc limit ${maxRoots}`,
  )
  return rows.map(({ root }) => root)
}

/** The id of a project. Stores the project if it is new, and new keys of a known one. */
export async function ensureProject(
  transaction: Transaction,
  identity: ProjectIdentity,
  at: number,
  by: By,
): Promise<string> {
  const known = await knownKeys(transaction, identity)
  const id = known[0]?.project ?? projectId(identity)
  const entry = { ...by, at, subject: id }
  if (known.length === 0) {
    await transaction.run(sql`
      insert into projects (id, name, root, remote, created_at)
      values (${id}, ${identity.name}, ${identity.root ?? ""}, ${identity.remote}, ${at}) on conflict do nothing`)
    await appendEntry(transaction, { ...entry, kind: "project.seen", data: identity })
  }
  const missing = identity.keys.filter((key) => !known.some((row) => row.key === key))
  if (missing.length === 0) return id
  const rows = missing.map((key) => [key, id])
  await transaction.run(
    sql`insert into project_keys (key, project) values ${sqlRows(rows)} on conflict do nothing`,
  )
  if (known.length > 0)
    await appendEntry(transaction, { ...entry, kind: "project.recognised", data: { keys: missing } })
  return id
}

/** A hash of the strongest key, so that two machines choose the same id. */
function projectId(identity: ProjectIdentity): string {
  const hash = createHash("sha256")
    .update(identity.keys[0] ?? identity.name)
    .digest()
  return `p_${encodeBase32(hash.subarray(0, 10))}`
}

/** The top folders of the projects that these folders are in. */
export async function rootsOf(
  { projects }: { projects: ProjectFinder },
  folders: readonly string[],
): Promise<(string | null)[]> {
  return Promise.all(folders.map(async (folder) => (await projects.find(folder)).root))
}
