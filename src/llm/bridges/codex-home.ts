import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs"
import { join } from "node:path"
import codexConfig from "../../../assets/llm/codex-config.json" with { type: "json" }
import type { Clock } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { makePrivateFolder, writeAtomically } from "../../base/files/files.ts"
import type { Log } from "../../base/log.ts"

/** The home folder that the program is given, and the user's real one. */
export interface CodexHomes {
  /** Ours: its settings turn everything off, and we read and delete its sessions. */
  ours: string
  /** The user's: only the sign-in files are linked, so that the program renews them there. */
  users: string
}

/** Disables everything of the program's own: shell, files, web, hooks, plugins, agents, skills and memories. */
const settings = `${codexConfig.join("\n")}\n`
/** No environment to run anything in, in case a tool is offered anyway. */
const environments = 'default = "none"\n'

const signInFiles = ["auth.json", "auth.lock"]
const abandonedMs = 24 * 3_600_000

/** Prepares our home for the program, with links to the user's sign-in. Moves a replaced link's file back to the user. */
export function prepareHome({ clock, log }: { clock: Clock; log: Log }, { ours, users }: CodexHomes): void {
  makePrivateFolder(join(ours, "home"))
  writeIfChanged(join(ours, "config.toml"), settings)
  writeIfChanged(join(ours, "environments.toml"), environments)
  for (const name of signInFiles) linkFile({ log }, join(ours, name), join(users, name))
  for (const file of sessionFiles(ours)) {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat && clock.now() - stat.mtimeMs > abandonedMs) rmSync(file, { force: true })
  }
}

function writeIfChanged(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeAtomically(file, text)
}

function linkFile({ log }: { log: Log }, link: string, target: string): void {
  const there = lstatSync(link, { throwIfNoEntry: false })
  if (there?.isSymbolicLink() && readlinkSync(link) === target) return
  // A version that saves by replacing the file leaves the newest sign-in here. It belongs into the user's home.
  const theirs = statSync(target, { throwIfNoEntry: false })
  try {
    if (there?.isFile() && theirs && there.mtimeMs > theirs.mtimeMs) renameSync(link, target)
    else rmSync(link, { force: true })
    symlinkSync(target, link)
  } catch (error) {
    log.warn("codex's sign-in could not be linked", { reason: messageOf(error) })
  }
}

/** Reads and deletes the record of one session; empty if there is none. */
export function takeSession(ours: string, threadId: string): string {
  let text = ""
  for (const file of sessionFiles(ours)) {
    if (!file.includes(threadId)) continue
    if (file.endsWith(".jsonl")) text = readFileSync(file, "utf8")
    rmSync(file, { force: true })
  }
  return text
}

function sessionFiles(ours: string): string[] {
  const sessions = join(ours, "sessions")
  if (!existsSync(sessions)) return []
  return readdirSync(sessions, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
