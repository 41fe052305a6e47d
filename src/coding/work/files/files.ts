import { constants } from "node:fs"
import { type FileHandle, lchown, lstat, mkdir } from "node:fs/promises"
import type { Clock } from "../../../base/clock.ts"
import { openOffLimits } from "../../../privacy/files/off-limits.ts"
import { isGitName, problemWithPath } from "./names.ts"
import { openFile, openFolderOf, type Refused, refused } from "./opened-folder.ts"
import { walk } from "./walk.ts"

/** A worktree's files, for tools of a model: nothing outside of it, nothing of git's own, no files of secrets. */
export interface WorkFiles {
  readFile(path: string): Promise<{ outcome: "read"; text: string } | Refused>
  /** The paths below a folder ("" for all), sorted; `isCut` where there are more. */
  listFiles(folder?: string): Promise<{ outcome: "listed"; paths: string[]; isCut: boolean } | Refused>
  /** Lines that hold a text, letter by letter. */
  searchFiles(
    text: string,
    folder?: string,
  ): Promise<{ outcome: "found"; lines: FoundLine[]; isCut: boolean } | Refused>
  /** Writes a whole file, with the folders on the way. */
  writeFile(path: string, text: string): Promise<{ outcome: "written"; isNew: boolean } | Refused>
  /** Replaces a text that stands in the file exactly once. */
  editFile(path: string, before: string, after: string): Promise<{ outcome: "edited" } | Refused>
}

interface FoundLine {
  path: string
  line: number
  text: string
}

const largestFile = 1024 * 1024
const mostPaths = 2000
const mostLooked = 50_000
const mostLines = 200
const longestLine = 300
const leftOut = new Set(["node_modules", ".venv", "venv", "target", "dist", "__pycache__"])

/** Opens a worktree's files. */
export function openWorkFiles({ clock }: { clock: Clock }, root: string): WorkFiles {
  const offLimits = openOffLimits({ clock })

  /** Files of secrets are neither read nor written, whatever their name's letters; nor what the project lists as such. */
  async function secret(path: string): Promise<Refused | undefined> {
    // What is no path is refused as that, with a better sentence.
    if (problemWithPath(path) !== undefined) return undefined
    const named = await offLimits.reasonFor(null, [path.toLowerCase(), path])
    const reason = named ?? (await offLimits.reasonFor(root, [path]))
    return reason === undefined ? undefined : refused(`${path} is off limits: it may hold secrets.`)
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
        // Writing back what was no UTF-8 would change it.
        if (content.includes(0) || !Buffer.from(text).equals(content)) return refused(`${path} is no text.`)
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
        await handBack(handle, owner)
        return { outcome: "written", isNew }
      } finally {
        await handle.close()
      }
    } finally {
      await opened.close()
    }
  }

  async function paths(folder: string, most: number): Promise<{ paths: string[]; isCut: boolean } | Refused> {
    const problem = folder === "" ? undefined : problemWithPath(folder)
    if (problem !== undefined) return refused(`${JSON.stringify(folder)} ${problem}.`)
    const opened = folder === "" ? undefined : await openFolderOf(root, `${folder}/x`)
    if (opened !== undefined && "outcome" in opened) return refused(`${folder} is no folder of the worktree.`)
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
    async listFiles(folder = "") {
      const found = await paths(folder, mostPaths)
      return "outcome" in found ? found : { outcome: "listed", ...found }
    },
    async searchFiles(text, folder = "") {
      if (text.trim() === "" || text.includes("\n")) return refused("Search for a part of one line.")
      const all = await paths(folder, mostLooked)
      if ("outcome" in all) return all
      const lines: FoundLine[] = []
      for (const path of all.paths) {
        lines.push(...(await linesIn(path, text)))
        if (lines.length > mostLines)
          return { outcome: "found", lines: lines.slice(0, mostLines), isCut: true }
      }
      return { outcome: "found", lines, isCut: all.isCut }
    },
    writeFile: write,
    async editFile(path, before, after) {
      const file = await read(path)
      if (file.outcome !== "read") return file
      const at = file.text.indexOf(before)
      if (before === "" || at < 0) return refused(`The text to replace does not stand in ${path}.`)
      if (file.text.indexOf(before, at + 1) >= 0)
        return refused(
          `The text to replace stands in ${path} more than once; give more of what is around it.`,
        )
      const written = await write(path, file.text.slice(0, at) + after + file.text.slice(at + before.length))
      return written.outcome === "written" ? { outcome: "edited" } : written
    },
  }
}

/** As root the commands in the sandbox are somebody else, who must be able to change it too. */
async function handBack(handle: FileHandle, owner: { uid: number; gid: number }): Promise<void> {
  await handle.chown(owner.uid, owner.gid).catch(() => {})
}

/** Links are not listed: where they lead is not known to be in the worktree. */
async function listBelow(
  root: string,
  from: string,
  most: number,
): Promise<{ paths: string[]; isCut: boolean }> {
  const paths: string[] = []
  let looked = 0
  const mayEnter = (_: string, { name }: { name: string }) => !isGitName(name) && !leftOut.has(name)
  for await (const { path, entry } of walk(root, { from, mayEnter, isLenient: true })) {
    looked += 1
    if (paths.length >= most || looked > mostLooked) return { paths: paths.sort(), isCut: true }
    if (entry.isFile() && !isGitName(entry.name)) paths.push(path)
  }
  return { paths: paths.sort(), isCut: false }
}
