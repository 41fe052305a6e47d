import type { Command } from "commander"
// Most calls need one of these two, and both are small: a file of their own would only cost time to load.
import { statusCommand } from "./commands/daemon/status.ts"
import { searchCommand } from "./commands/memory/search.ts"
import type { CliNeeds } from "./needs.ts"

/** Adds the commands of one file to the program. */
type AddCommands = (program: Command, needs: CliNeeds) => void

/**
 * The commands by group, in the order of the help. A key names the commands of one file, which is loaded only when one
 * of them is called.
 */
export const commandGroups: Record<string, Record<string, () => Promise<AddCommands>>> = {
  "Remember:": {
    add: async () => (await import("./commands/memory/add.ts")).addCommand,
    search: async () => searchCommand,
    memory: async () => (await import("./commands/memory/memory.ts")).memoryCommand,
    "conflicts resolve": async () => (await import("./commands/memory/conflicts.ts")).conflictsCommands,
    undo: async () => (await import("./commands/memory/undo.ts")).undoCommand,
  },
  "Sessions and agents:": {
    connect: async () => (await import("./commands/sessions/connect.ts")).connectCommand,
    sessions: async () => (await import("./commands/sessions/sessions.ts")).sessionsCommand,
    extract: async () => (await import("./commands/sessions/extract.ts")).extractCommand,
    recall: async () => (await import("./commands/memory/recall.ts")).recallCommand,
    mcp: async () => (await import("./commands/sessions/mcp.ts")).mcpCommand,
    hook: async () => (await import("./commands/sessions/hook.ts")).hookCommand,
  },
  "Daemon and tending:": {
    "start stop restart": async () => (await import("./commands/daemon/daemon.ts")).daemonCommands,
    status: async () => statusCommand,
    web: async () => (await import("./commands/daemon/web.ts")).webCommand,
    tui: async () => (await import("./commands/tui.ts")).tuiCommand,
    service: async () => (await import("./commands/daemon/service.ts")).serviceCommand,
    "pause resume wake trust": async () => (await import("./commands/tending/ambient.ts")).ambientCommands,
    inbox: async () => (await import("./commands/tending/inbox.ts")).inboxCommand,
    queue: async () => (await import("./commands/tending/queue.ts")).queueCommand,
    cycles: async () => (await import("./commands/tending/cycles.ts")).cyclesCommand,
  },
  "Models and budget:": {
    models: async () => (await import("./commands/models/models.ts")).modelsCommand,
    login: async () => (await import("./commands/models/login.ts")).loginCommand,
    logout: async () => (await import("./commands/models/logout.ts")).logoutCommand,
    usage: async () => (await import("./commands/sessions/usage.ts")).usageCommand,
    budget: async () => (await import("./commands/tending/budget.ts")).budgetCommand,
    statusline: async () => (await import("./commands/daemon/statusline.ts")).statuslineCommand,
  },
  "Chat:": {
    chat: async () => (await import("./commands/chat/chat.ts")).chatCommand,
  },
  "Setup and troubleshooting:": {
    init: async () => (await import("./commands/daemon/init.ts")).initCommand,
    demo: async () => (await import("./commands/demo/demo.ts")).demoCommand,
    config: async () => (await import("./commands/config.ts")).configCommand,
    doctor: async () => (await import("./commands/daemon/doctor.ts")).doctorCommand,
    "logs journal": async () => (await import("./commands/daemon/logs.ts")).logsCommands,
    snapshot: async () => (await import("./commands/daemon/snapshot.ts")).snapshotCommand,
    completion: async () => (await import("./commands/completion.ts")).completionCommand,
  },
}

/**
 * Adds the commands that a command line may need: those of the file that defines its first word, none if it is empty,
 * all for help, completion and suggestions.
 */
export async function addCommandsFor(
  args: readonly string[],
  program: Command,
  needs: CliNeeds,
): Promise<void> {
  const [name] = args.filter((word) => word !== "--json")
  if (name === undefined) return
  const files = Object.values(commandGroups).flatMap((group) => Object.entries(group))
  const called = files.filter(([names]) => names.split(" ").includes(name))
  const loads = (called.length > 0 ? called : files).map(([, load]) => load())
  for (const addCommands of await Promise.all(loads)) addCommands(program, needs)
}
