import type { Command } from "commander"
// These two are asked for most, and small: they come with what every command loads, for each file more takes its time.
import { statusCommand } from "./commands/daemon/status.ts"
import { searchCommand } from "./commands/memory/search.ts"
import type { CliNeeds } from "./needs.ts"

/** Adds the commands of one file to the program. */
type AddCommands = (program: Command, needs: CliNeeds) => void

/** The commands of one file; it is loaded only when one of them is called for, but for two. */
interface CommandFile {
  names: readonly string[]
  load(): Promise<AddCommands>
}

/** The commands by what people come for, in the order in which the help shows them. */
export const commandGroups: readonly { title: string; files: readonly CommandFile[] }[] = [
  {
    title: "Remember:",
    files: [
      { names: ["add"], load: async () => (await import("./commands/memory/add.ts")).addCommand },
      { names: ["search"], load: async () => searchCommand },
      { names: ["memory"], load: async () => (await import("./commands/memory/memory.ts")).memoryCommand },
      {
        names: ["conflicts", "resolve"],
        load: async () => (await import("./commands/memory/conflicts.ts")).conflictsCommands,
      },
      { names: ["undo"], load: async () => (await import("./commands/memory/undo.ts")).undoCommand },
    ],
  },
  {
    title: "Sessions and agents:",
    files: [
      {
        names: ["connect"],
        load: async () => (await import("./commands/sessions/connect.ts")).connectCommand,
      },
      {
        names: ["sessions"],
        load: async () => (await import("./commands/sessions/sessions.ts")).sessionsCommand,
      },
      {
        names: ["extract"],
        load: async () => (await import("./commands/sessions/extract.ts")).extractCommand,
      },
      { names: ["recall"], load: async () => (await import("./commands/memory/recall.ts")).recallCommand },
      { names: ["mcp"], load: async () => (await import("./commands/sessions/mcp.ts")).mcpCommand },
      { names: ["hook"], load: async () => (await import("./commands/sessions/hook.ts")).hookCommand },
    ],
  },
  {
    title: "Daemon and tending:",
    files: [
      {
        names: ["start", "stop", "restart"],
        load: async () => (await import("./commands/daemon/daemon.ts")).daemonCommands,
      },
      { names: ["status"], load: async () => statusCommand },
      { names: ["web"], load: async () => (await import("./commands/daemon/web.ts")).webCommand },
      { names: ["tui"], load: async () => (await import("./commands/tui.ts")).tuiCommand },
      {
        names: ["service"],
        load: async () => (await import("./commands/daemon/start-at-login.ts")).serviceCommand,
      },
      {
        names: ["pause", "resume", "wake", "trust"],
        load: async () => (await import("./commands/tending/ambient.ts")).ambientCommands,
      },
      { names: ["inbox"], load: async () => (await import("./commands/tending/inbox.ts")).inboxCommand },
      { names: ["queue"], load: async () => (await import("./commands/tending/queue.ts")).queueCommand },
      { names: ["cycles"], load: async () => (await import("./commands/tending/cycles.ts")).cyclesCommand },
    ],
  },
  {
    title: "Models and budget:",
    files: [
      { names: ["models"], load: async () => (await import("./commands/models/models.ts")).modelsCommand },
      { names: ["login"], load: async () => (await import("./commands/models/login.ts")).loginCommand },
      { names: ["logout"], load: async () => (await import("./commands/models/logout.ts")).logoutCommand },
      { names: ["usage"], load: async () => (await import("./commands/sessions/usage.ts")).usageCommand },
      { names: ["budget"], load: async () => (await import("./commands/tending/budget.ts")).budgetCommand },
      {
        names: ["statusline"],
        load: async () => (await import("./commands/daemon/statusline.ts")).statuslineCommand,
      },
    ],
  },
  {
    title: "Chat:",
    files: [{ names: ["chat"], load: async () => (await import("./commands/chat/chat.ts")).chatCommand }],
  },
  {
    title: "Set-up and trouble:",
    files: [
      { names: ["init"], load: async () => (await import("./commands/daemon/init.ts")).initCommand },
      { names: ["demo"], load: async () => (await import("./commands/demo/demo.ts")).demoCommand },
      { names: ["config"], load: async () => (await import("./commands/config.ts")).configCommand },
      { names: ["doctor"], load: async () => (await import("./commands/daemon/doctor.ts")).doctorCommand },
      {
        names: ["logs", "journal"],
        load: async () => (await import("./commands/daemon/logs.ts")).logsCommands,
      },
      {
        names: ["snapshot"],
        load: async () => (await import("./commands/daemon/snapshot.ts")).snapshotCommand,
      },
      {
        names: ["completion"],
        load: async () => (await import("./commands/completion.ts")).completionCommand,
      },
    ],
  },
]

/**
 * Adds the commands that a command line may be about: those of one file where it names one of its commands, none where
 * it is empty, else all, for help, completion and suggestions.
 */
export async function addCommandsFor(
  args: readonly string[],
  program: Command,
  needs: CliNeeds,
): Promise<void> {
  const words = args.filter((word) => word !== "--json")
  if (words.length === 0) return
  const files = commandGroups.flatMap((group) => group.files)
  const called = files.find(({ names }) => names.includes(words[0] ?? ""))
  const needed = called === undefined ? files : [called]
  const loaded = await Promise.all(needed.map((file) => file.load()))
  for (const addCommands of loaded) addCommands(program, needs)
}
