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
import type { Clock } from "../../base/clock.ts"
import { messageOf } from "../../base/errors.ts"
import { makePrivateFolder, writeAtomically } from "../../base/files/files.ts"
import type { Log } from "../../base/log.ts"

/** Where the program is to think it lives, and where it really lives. */
export interface CodexHomes {
  /** Ours: its settings turn everything off, and its sessions are read and removed by us. */
  ours: string
  /** The user's: only the sign-in is taken from it, by links, so that the program renews it there. */
  users: string
}

/** Nothing of the program's own may act: no shell, files, web, hooks, plugins, agents, skills or memories. */
const settings = `# Written by Reverie for its own calls; your settings are not touched by it.
web_search = "disabled"
sandbox_mode = "read-only"
approval_policy = "never"
project_doc_max_bytes = 0
include_permissions_instructions = false
include_apps_instructions = false
include_environment_context = false
include_collaboration_mode_instructions = false
check_for_update_on_startup = false

[analytics]
enabled = false

[feedback]
enabled = false

[history]
persistence = "none"

[skills]
include_instructions = false
bundled = { enabled = false }

[tools]
experimental_request_user_input = { enabled = false }
update_plan = { enabled = false }

[features]
hooks = false
shell_tool = false
unified_exec = false
shell_snapshot = false
view_image = false
image_generation = false
apps = false
plugins = false
multi_agent = false
goals = false
memories = false
skill_search = false
tool_suggest = false
sleep_tool = false
unbounded_connection_retries = false
`
/** No machine to run anything on: a second lock, should a tool be offered all the same. */
const environments = 'default = "none"\n'

const signInFiles = ["auth.json", "auth.lock"]
const leftBehindMs = 24 * 3_600_000

/** Makes our home for the program ready, with links to the user's sign-in; gives the links' targets back if replaced. */
export function prepareHome({ clock, log }: { clock: Clock; log: Log }, { ours, users }: CodexHomes): void {
  makePrivateFolder(join(ours, "home"))
  writeIfOther(join(ours, "config.toml"), settings)
  writeIfOther(join(ours, "environments.toml"), environments)
  for (const name of signInFiles) linkFile({ log }, join(ours, name), join(users, name))
  for (const file of sessionFiles(ours)) {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat && clock.now() - stat.mtimeMs > leftBehindMs) rmSync(file, { force: true })
  }
}

function writeIfOther(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeAtomically(file, text)
}

function linkFile({ log }: { log: Log }, link: string, target: string): void {
  const there = lstatSync(link, { throwIfNoEntry: false })
  if (there?.isSymbolicLink() && readlinkSync(link) === target) return
  // A version that saves by replacing the file would leave the newest sign-in here: it belongs to the user's home.
  const theirs = statSync(target, { throwIfNoEntry: false })
  try {
    if (there?.isFile() && theirs && there.mtimeMs > theirs.mtimeMs) renameSync(link, target)
    else rmSync(link, { force: true })
    symlinkSync(target, link)
  } catch (error) {
    log.warn("codex's sign-in could not be linked", { reason: messageOf(error) })
  }
}

/** Takes the record of one session out of our home: its text, or an empty one where there is none. */
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
