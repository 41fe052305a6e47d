import { constants } from "node:fs"
import { type FileHandle, lchown, lstat, mkdir } from "node:fs/promises"
import type { Clock } from "../../../base/clock.ts"
import { openOffLimits } from "../../../privacy/files/off-limits.ts"
import { type Refused, refused } from "../refused.ts"
import { isGitName, problemWithPath } from "./names.ts"
import { openFile, openFolderOf } from "./opened-folder.ts"
import { walk } from "./walk.ts"

interface FoundLine {
  path: string
  line: number
  text: string
}

const largestFile = 1024 * 1024
const mostPaths = 2000
const mostVisited = 50_000
const mostLines = 200
const longestLine = 300
const skippedFolders = new Set(["node_modules", ".venv", "venv", "target", "dist", "__pycache__"])

/** A worktree's files for a model's tools: nothing outside of it, none of git's own files, no files of secrets. */
export function openWorkFiles({ clock }: { clock: Clock }, root: string) {
  const offLimits = openOffLimits({ clock })

  /** Refuses files of secrets, whatever the case of their name, and files that the project lists as such. */
  async function secret(path: string): Promise<Refused | undefined> {
    // An invalid path is refused later, with a better reason.
    if (problemWithPath(path) !== undefined) return undefined
    const named = await offLimits.reasonFor(null, [path.toLowerCase(), path])
    const reason = named ?? (await offLimits.reasonFor(root, [path]))
    return reason === undefined ? undefined : refused(`${path} is off limits: it may contain secrets.`)
  }

  async function read(path: string): Promise<{ outcome: "read"; text: string } | Refused> {
    const closed = await secret(path)
    return closed ?? (await readAny(path))
  }

  async function readAny(path: string): Promise<{ outcome: "read"; text: string } | Refused> {
    const opened = await openFolderOf(root, path)
    if ("outcome" in opened) return opened
    try {
      const handle = await openFile(opened, path, constants.O_RDONLY)
      if ("outcome" in handle) return handle
      try {
        const { size } = await handle.stat()
        if (size > largestFile) return refused(`${path} is larger than ${largestFile / 1024} kB.`)
        const bytes = Buffer.alloc(largestFile + 1)
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
        if (bytesRead > largestFile) return refused(`${path} is larger than ${largestFile / 1024} kB.`)
        const content = bytes.subarray(0, bytesRead)
        const text = content.toString("utf8")
        // Writing back a text that is not UTF-8 would change it.
        if (content.includes(0) || !Buffer.from(text).equals(content))
          return refused(`${path} is not a text file.`)
        return { outcome: "read", text }
      } finally {
        await handle.close()
      }
    } finally {
      await opened.close()
    }
  }

  async function write(
    path: string,
    text: string,
  ): Promise<{ outcome: "written"; isNew: boolean } | Refused> {
    if (Buffer.byteLength(text) > largestFile)
      return refused(`A file may have ${largestFile / 1024} kB at most.`)
    const closed = await secret(path)
    if (closed !== undefined) return closed
    const owner = await lstat(root)
    const opened = await openFolderOf(root, path, async (folder) => {
      await mkdir(folder)
      await lchown(folder, owner.uid, owner.gid).catch(() => {})
    })
    if ("outcome" in opened) return opened
    try {
      const isNew = (await lstat(opened.through).catch(() => undefined)) === undefined
      const flags = constants.O_WRONLY | (isNew ? constants.O_CREAT | constants.O_EXCL : 0)
      const handle = await openFile(opened, path, flags)
      if ("outcome" in handle) return handle
      try {
        await handle.truncate(0)
        await handle.writeFile(text)
        await giveToOwner(handle, owner)
        return { outcome: "written", isNew }
      } finally {
        await handle.close()
      }
    } finally {
      await opened.close()
    }
  }

  async function paths(folder: string, most: number): Promise<string[] | Refused> {
    const problem = folder === "" ? undefined : problemWithPath(folder)
    if (problem !== undefined) return refused(`${JSON.stringify(folder)} ${problem}.`)
    const opened = folder === "" ? undefined : await openFolderOf(root, `${folder}/x`)
    if (opened !== undefined && "outcome" in opened)
      return refused(`${folder} is not a folder of the worktree.`)
    await opened?.close()
    return listBelow(root, folder, most)
  }

  async function linesIn(path: string, text: string): Promise<FoundLine[]> {
    const file = await readAny(path)
    if (file.outcome !== "read" || !file.text.includes(text) || (await secret(path)) !== undefined) return []
    return file.text
      .split("\n")
      .map((line, index) => ({ path, line: index + 1, text: line }))
      .filter((line) => line.text.includes(text))
      .map((line) => ({ ...line, text: line.text.slice(0, longestLine) }))
  }

  return {
    readFile: read,
    /** The first paths below a folder ("" for all), sorted. */
    async listFiles(folder = ""): Promise<{ outcome: "listed"; paths: string[] } | Refused> {
      const found = await paths(folder, mostPaths)
      return "outcome" in found ? found : { outcome: "listed", paths: found }
    },
    /** The first lines that contain a text exactly. */
    async searchFiles(
      text: string,
      folder = "",
    ): Promise<{ outcome: "found"; lines: FoundLine[] } | Refused> {
      if (text.trim() === "" || text.includes("\n")) return refused("Search for a part of one line.")
      const all = await paths(folder, mostVisited)
      if ("outcome" in all) return all
      const lines: FoundLine[] = []
      for (const path of all) {
        lines.push(...(await linesIn(path, text)))
        if (lines.length >= mostLines) break
      }
      return { outcome: "found", lines: lines.slice(0, mostLines) }
    },
    /** Writes a whole file and creates the folders above it. */
    writeFile: write,
    /** Replaces a text that occurs in the file exactly once. */
    async editFile(path: string, before: string, after: string): Promise<{ outcome: "edited" } | Refused> {
      const file = await read(path)
      if (file.outcome !== "read") return file
      const at = file.text.indexOf(before)
      if (before === "" || at < 0) return refused(`The text to replace does not occur in ${path}.`)
      if (file.text.indexOf(before, at + 1) >= 0)
        return refused(
          `The text to replace occurs in ${path} more than once; include more of the lines around it.`,
        )
      const written = await write(path, file.text.slice(0, at) + after + file.text.slice(at + before.length))
      return written.outcome === "written" ? { outcome: "edited" } : written
    },
  }
}

/** Gives a file to the worktree's owner: as root, commands in the sandbox run as another user. */
async function giveToOwner(handle: FileHandle, owner: { uid: number; gid: number }): Promise<void> {
  await handle.chown(owner.uid, owner.gid).catch(() => {})
}

/** Links are not listed, because they may lead out of the worktree. */
async function listBelow(root: string, from: string, most: number): Promise<string[]> {
  const paths: string[] = []
  let visited = 0
  const mayEnter = (_: string, { name }: { name: string }) => !isGitName(name) && !skippedFolders.has(name)
  for await (const { path, entry } of walk(root, { from, mayEnter, isLenient: true })) {
    visited += 1
    if (paths.length >= most || visited > mostVisited) break
    if (entry.isFile() && !isGitName(entry.name)) paths.push(path)
  }
  return paths.sort()
}
