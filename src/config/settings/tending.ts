import { z } from "zod"
import { key, table } from "../key.ts"

/** TOOL or TOOL(ARGUMENT=PATTERN), as `safety/rules.ts` reads it. */
function isToolRule(text: string): boolean {
  return /^[\w*-]+(\([\w.]+=.+\))?$/s.test(text.trim())
}

/** A folder and the command that runs the tests of the project there, such as "/home/me/shop = make check". */
export const testCommandEntry = /^(?<folder>\/[^=]*?) = (?<command>\S[^\n]*)$/
const authorEntry = /^[^<>\n]+ <[^<>\s]+@[^<>\s]+>$/

export const ambient = table({
  enabled: key(z.boolean().default(true), {
    help: "Whether the daemon tends the memory by itself: garden by rules, and with a model what rules leave open. Switch it off and nothing happens unless you ask for it.",
    tighten: "off",
  }),
  max_minutes: key(z.number().min(1).max(240).default(15), {
    help: "How long one cycle may take before it is ended.",
  }),
  max_steps: key(z.int().min(1).max(500).default(60), {
    help: "How many turns with tools the model may take in one cycle; its last words, and one turn to end the cycle if it forgot, come on top. Lower it if cycles wander.",
  }),
  changes_per_cycle: key(z.int().min(1).max(1_000_000).default(2000), {
    help: "How many memories one cycle may change; the rest waits for the next. Lower it to be able to follow.",
  }),
  losses_per_cycle: key(z.int().min(0).max(1_000_000).default(200), {
    help: "How many memories one cycle may take out of sight (merged, replaced, archived). Reaching it stops the cycle's gardening with a warning. Everything can be taken back in any case.",
  }),
  garden_after_cycles: key(z.int().min(0).max(1000).default(3), {
    help: "After how many cycles that you approved a model may change memories, not only look at them. Rules tend the memory from the start; `reverie trust garden` lets a model do so at once.",
  }),
  trusted_after_cycles: key(z.int().min(0).max(1000).default(10), {
    help: "After how many cycles that you approved it may also prepare small changes on branches of its own. `reverie trust work` allows it at once.",
  }),
})

export const safety = table({
  require_permission: key(z.array(z.string().refine(isToolRule)).default([]), {
    help: "Tools that run only after you approved, beside those that always do: TOOL or TOOL(ARGUMENT=PATTERN), with * for anything. Such as memory_archive or work_run(command=npm *).",
    expects: "a list of TOOL or TOOL(ARGUMENT=PATTERN)",
  }),
  allow_without_permission: key(z.array(z.string().refine(isToolRule)).default([]), {
    help: "Tools that need not ask although they would. What never runs (force-push, deleting remote branches, credentials, writing outside the worktree, changing safety) stays so, and nothing leaves the machine unasked from a conversation that has read what others wrote.",
    expects: "a list of TOOL or TOOL(ARGUMENT=PATTERN)",
  }),
  never: key(z.array(z.string().refine(isToolRule)).default([]), {
    help: "Tools that never run, also if you approve.",
    expects: "a list of TOOL or TOOL(ARGUMENT=PATTERN)",
  }),
  allow_push_to: key(z.array(z.string().min(1)).default([]), {
    help: "Names or addresses of remotes, * for anything, that a branch of Reverie's own may be pushed to without asking.",
    expects: "a list of remotes",
  }),
  request_expires_hours: key(z.number().min(0.1).max(8760).default(72), {
    help: "How long a permission request waits for you before it expires. What expires is not done.",
  }),
})

export const work = table({
  enabled: key(z.boolean().default(true), {
    help: "Whether changes to code may be prepared on branches of their own, in a sandbox, for you to decide on. A project switches it off for itself.",
    tighten: "off",
  }),
  max_files: key(z.int().min(1).max(1000).default(10), {
    help: "How many files one change may touch. A larger one is not offered. Lower it to see only what is read in a minute.",
    tighten: "lower",
  }),
  max_lines: key(z.int().min(1).max(100_000).default(300), {
    help: "How many lines one change may add and remove together.",
    tighten: "lower",
  }),
  author: key(z.string().max(200).regex(authorEntry).default("Reverie <reverie@localhost>"), {
    help: "The author of commits on such branches. Set an address that your host of repositories knows if it asks for one.",
    expects: 'a name and an address, such as "Reverie <reverie@example.org>"',
  }),
  test_commands: key(z.array(z.string().max(2000).regex(testCommandEntry)).max(200).default([]), {
    help: "How the tests of a project are run where it is not found out from its files: the project's folder, an equals sign, and a command for the shell. It is run inside the sandbox.",
    expects: 'a list such as ["/home/me/shop = make check"]',
  }),
  readable: key(z.array(z.string().max(4096).startsWith("/")).max(100).default([]), {
    help: "Folders that commands in the sandbox may read besides the project and the system's own, such as a compiler or downloaded packages in a folder of your own. Your home as a whole, folders of keys and Reverie's own are never shown.",
    expects: "a list of absolute paths",
  }),
  timeout_minutes: key(z.number().min(0.1).max(240).default(10), {
    help: "How long one command in the sandbox may take before it and all it started is ended. Raise it for slow tests.",
    tighten: "lower",
  }),
  memory_mb: key(z.int().min(64).max(1_000_000).default(4096), {
    help: "How much memory the processes of one command may take, in megabytes.",
  }),
  processes: key(z.int().min(16).max(100_000).default(512), {
    help: "How many processes and threads one command may have at once.",
  }),
  disk_mb: key(z.int().min(16).max(1_000_000).default(2048), {
    help: "How large the worktree may become, in megabytes. Raise it for projects that build much.",
  }),
})
