import { z } from "zod"
import { key, table } from "../key.ts"

/** TOOL or TOOL(ARGUMENT=PATTERN), as `safety/rules.ts` parses it. */
function isToolRule(text: string): boolean {
  return /^[\w*-]+(\([\w.]+=.+\))?$/s.test(text.trim())
}

/** A project's folder and the command that runs its tests, such as "/home/me/shop = make check". */
export const testCommandEntry = /^(?<folder>\/[^=]*?) = (?<command>\S[^\n]*)$/
const authorEntry = /^[^<>\n]+ <[^<>\s]+@[^<>\s]+>$/

export const ambient = table({
  enabled: key(z.boolean().default(true), {
    help: "Whether the daemon maintains the memory automatically: by rules, and with a model where rules give no answer. When false, nothing happens unless you ask for it.",
    tighten: "off",
  }),
  max_minutes: key(z.number().min(1).max(240).default(15), {
    help: "The maximum length of one cycle, in minutes.",
  }),
  max_steps: key(z.int().min(1).max(500).default(60), {
    help: "The maximum number of turns with tools that the model may take in one cycle. Its final message, and one extra turn if it forgot to end the cycle, do not count. Lower it if cycles wander.",
  }),
  changes_per_cycle: key(z.int().min(1).max(1_000_000).default(2000), {
    help: "How many memories one cycle may change; the rest waits for the next. Lower it to be able to review them.",
  }),
  losses_per_cycle: key(z.int().min(0).max(1_000_000).default(200), {
    help: "How many memories one cycle may hide (merge, replace or archive). At the limit, the cycle stops gardening with a warning. Everything can be undone.",
  }),
  garden_after_cycles: key(z.int().min(0).max(1000).default(3), {
    help: "After how many approved cycles a model may change memories, and not only read them. Rules maintain the memory from the start; `reverie trust garden` allows a model to do so at once.",
  }),
  trusted_after_cycles: key(z.int().min(0).max(1000).default(10), {
    help: "After how many approved cycles a model may also prepare small changes on its own branches. `reverie trust work` allows it at once.",
  }),
})

export const safety = table({
  require_permission: key(z.array(z.string().refine(isToolRule)).default([]), {
    help: "Tools that run only after you approve, in addition to those that always need approval: TOOL or TOOL(ARGUMENT=PATTERN), with * as a wildcard. Examples: memory_archive, work_run(command=npm *).",
    expects: "a list of TOOL or TOOL(ARGUMENT=PATTERN)",
  }),
  allow_without_permission: key(z.array(z.string().refine(isToolRule)).default([]), {
    help: "Tools that run without the approval they would need. Actions that never run (force-push, deleting remote branches, credentials, writing outside the worktree, changing safety settings) stay forbidden, and a conversation that has read text by others still needs approval to send anything off this machine.",
    expects: "a list of TOOL or TOOL(ARGUMENT=PATTERN)",
  }),
  never: key(z.array(z.string().refine(isToolRule)).default([]), {
    help: "Tools that never run, even if you approve.",
    expects: "a list of TOOL or TOOL(ARGUMENT=PATTERN)",
  }),
  allow_push_to: key(z.array(z.string().min(1)).default([]), {
    help: "Names or addresses of remotes, with * as a wildcard, that Reverie's own branches may be pushed to without approval.",
    expects: "a list of remotes",
  }),
  request_expires_hours: key(z.number().min(0.1).max(8760).default(72), {
    help: "After how many hours a permission request expires. An expired request is not carried out.",
  }),
})

export const work = table({
  enabled: key(z.boolean().default(true), {
    help: "Whether Reverie may prepare code changes on its own branches, in a sandbox, for you to decide on. A project turns it off for itself.",
    tighten: "off",
  }),
  max_files: key(z.int().min(1).max(1000).default(10), {
    help: "How many files one change may touch. Larger changes are not offered. Lower it for changes you can read in a minute.",
    tighten: "lower",
  }),
  max_lines: key(z.int().min(1).max(100_000).default(300), {
    help: "How many lines one change may add and remove in total.",
    tighten: "lower",
  }),
  author: key(z.string().max(200).regex(authorEntry).default("Reverie <reverie@localhost>"), {
    help: "The author of commits on such branches. Set an address that your repository host knows if it requires one.",
    expects: 'a name and an address, such as "Reverie <reverie@example.org>"',
  }),
  test_commands: key(z.array(z.string().max(2000).regex(testCommandEntry)).max(200).default([]), {
    help: "How to run the tests of a project if Reverie cannot find it out from its files: the project's folder, an equals sign, and a shell command. The command runs inside the sandbox.",
    expects: 'a list such as ["/home/me/shop = make check"]',
  }),
  readable: key(z.array(z.string().max(4096).startsWith("/")).max(100).default([]), {
    help: "Additional folders that commands in the sandbox may read, such as a compiler or downloaded packages in your home. Your home as a whole, folders with keys and Reverie's own folders are never readable.",
    expects: "a list of absolute paths",
  }),
  timeout_minutes: key(z.number().min(0.1).max(240).default(10), {
    help: "After how many minutes a command in the sandbox is killed, with all processes it started. Raise it for slow tests.",
    tighten: "lower",
  }),
  memory_mb: key(z.int().min(64).max(1_000_000).default(4096), {
    help: "The maximum memory of one command's processes, in megabytes.",
  }),
  processes: key(z.int().min(16).max(100_000).default(512), {
    help: "The maximum number of processes and threads of one command.",
  }),
  disk_mb: key(z.int().min(16).max(1_000_000).default(2048), {
    help: "The maximum size of the worktree, in megabytes. Raise it for projects with large builds.",
  }),
})
