import { chmod, mkdir, open, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { messageOf } from "../../../base/errors.ts"
import { changeGit } from "../../../git/change-git.ts"
import { isGitName } from "../files/names.ts"

/** One file of a commit. */
export interface TreeEntry {
  path: string
  mode: "100644" | "100755" | "120000" | "160000"
  id: string
  size: number
}

const mostFiles = 200_000
const batchBytes = 32 * 1024 * 1024
const batchFiles = 5000
const mostListBytes = 128 * 1024 * 1024

/** The files of a commit, or why they cannot be checked out. */
export async function listTree(
  gitFolder: string,
  commit: string,
): Promise<TreeEntry[] | { problem: string }> {
  const args = ["-r", "-l", "-z", "--full-tree", commit]
  const { code, text, isComplete } = await changeGit(gitFolder, "ls-tree", args, {
    mostBytes: mostListBytes,
    timeoutMs: 60_000,
  })
  if (code !== 0 || !isComplete) return { problem: "the commit cannot be read" }
  const lines = text.split("\0").filter((line) => line !== "")
  if (lines.length > mostFiles) return { problem: `it has more than ${mostFiles} files` }
  const read = lines.map(readLine)
  const problem = read.find((entry) => "problem" in entry)
  return problem ?? read.flatMap((entry) => ("problem" in entry ? [] : [entry]))
}

function readLine(line: string): TreeEntry | { problem: string } {
  const { mode, id, size, path } =
    /^(?<mode>\d{6}) \w+ (?<id>[0-9a-f]+)\s+(?<size>\d+|-)\t(?<path>.+)$/s.exec(line)?.groups ?? {}
  if (path === undefined || id === undefined || !isMode(mode)) return { problem: "it has an invalid entry" }
  if (leadsElsewhere(path))
    return { problem: `it has a file whose name leads elsewhere (${JSON.stringify(path)})` }
  // A name that is not UTF-8 could not be opened again.
  if (path.includes("\ufffd")) return { problem: "it has a file whose name is not UTF-8" }
  return { path, mode, id, size: Number(size) || 0 }
}

/** Whether a path could name a file outside of the folder, or git's own. */
function leadsElsewhere(path: string): boolean {
  return path.split("/").some((part) => part === "" || part === "." || part === ".." || isGitName(part))
}

function isMode(mode: string | undefined): mode is TreeEntry["mode"] {
  return mode === "100644" || mode === "100755" || mode === "120000" || mode === "160000"
}

/**
 * Writes the files of a commit into an empty folder, exactly as git stores them: without filters, hooks or attributes.
 * Links come last, so that no file is written through one. Returns the problem, or undefined on success.
 */
export async function checkOut(
  gitFolder: string,
  entries: readonly TreeEntry[],
  folder: string,
  mostBytes: number,
): Promise<string | undefined> {
  const size = entries.reduce((sum, entry) => sum + entry.size, 0)
  if (size > mostBytes) return `it is larger than work.disk_mb allows (${Math.ceil(size / 1024 / 1024)} MB)`
  try {
    const links = entries.filter(({ mode }) => mode === "120000")
    const files = entries.filter(({ mode }) => mode.startsWith("100"))
    for (const { path } of entries.filter(({ mode }) => mode === "160000"))
      await mkdir(join(folder, path), { recursive: true })
    for (const batch of batchesOf(files)) await writeBatch(gitFolder, batch, folder, writeOne)
    for (const batch of batchesOf(links)) await writeBatch(gitFolder, batch, folder, linkOne)
    return undefined
  } catch (error) {
    return `its files cannot be written (${messageOf(error)})`
  }
}

function batchesOf(entries: readonly TreeEntry[]): TreeEntry[][] {
  const batches: TreeEntry[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const entry of entries) {
    const last = batches.at(-1)
    if (last === undefined || bytes + entry.size > batchBytes || last.length >= batchFiles) {
      batches.push([entry])
      bytes = entry.size
    } else {
      last.push(entry)
      bytes += entry.size
    }
  }
  return batches
}

type WriteFile = (file: string, content: Buffer, entry: TreeEntry) => Promise<void>

async function writeBatch(
  gitFolder: string,
  batch: readonly TreeEntry[],
  folder: string,
  write: WriteFile,
): Promise<void> {
  const size = batch.reduce((sum, entry) => sum + entry.size + 256, 0)
  const { bytes, isComplete } = await changeGit(gitFolder, "cat-file", ["--batch"], {
    input: batch.map(({ id }) => `${id}\n`).join(""),
    mostBytes: size + 4096,
    timeoutMs: 120_000,
  })
  if (!isComplete) throw new Error("git did not return them")
  let at = 0
  for (const entry of batch) {
    const lineEnd = bytes.indexOf(10, at)
    const [id, type, length] = bytes.subarray(at, lineEnd).toString("latin1").split(" ")
    if (id !== entry.id || type !== "blob" || Number(length) !== entry.size)
      throw new Error("an object is missing")
    const content = bytes.subarray(lineEnd + 1, lineEnd + 1 + entry.size)
    at = lineEnd + 2 + entry.size
    await mkdir(dirname(join(folder, entry.path)), { recursive: true })
    await write(join(folder, entry.path), content, entry)
  }
}

const writeOne: WriteFile = async (file, content, { mode }) => {
  // "wx" follows no link and overwrites nothing.
  const handle = await open(file, "wx", 0o644)
  try {
    await handle.writeFile(content)
  } finally {
    await handle.close()
  }
  if (mode === "100755") await chmod(file, 0o755)
}

const linkOne: WriteFile = (file, content) => symlink(content, file)
