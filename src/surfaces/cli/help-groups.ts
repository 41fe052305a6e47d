import type { Command } from "commander"
import { calledAs } from "./called.ts"

/** The commands by what people come for, as the help shows them; its order is that in which commands are made. */
const groups: readonly { title: string; commands: readonly string[] }[] = [
  { title: "Remember:", commands: ["add", "search", "memory", "conflicts", "resolve", "undo"] },
  {
    title: "Sessions and agents:",
    commands: ["connect", "sessions", "extract", "recall", "mcp", "hook"],
  },
  {
    title: "Daemon and tending:",
    commands: `start stop restart status web service pause resume wake queue cycles inbox trust`.split(" "),
  },
  { title: "Models and budget:", commands: ["models", "login", "logout", "usage", "budget", "statusline"] },
  { title: "Chat:", commands: ["chat"] },
  {
    title: "Set-up and trouble:",
    commands: ["init", "config", "doctor", "logs", "journal", "snapshot", "completion", "help"],
  },
]

const examples: Record<string, readonly string[]> = {
  "": ['add "Never push to main"', "search how do we deploy", "connect --all", "status"],
  memory: ["memory list --type preference", "memory show 3vh2pr", 'memory edit 3vh2pr "The port is 5433"'],
  add: ['add "The staging database runs on port 5433"', 'add "Answers should be short" --global'],
  search: ["search staging port", "search deploy --all-projects --limit 3"],
  connect: ["connect --all", "connect claude --dry-run --diff", "connect codex --uninstall"],
  sessions: ["sessions --tool codex", "sessions show 3vh2pr"],
  chat: ["chat setup discord", "chat setup irc --host irc.libera.chat --nick fern --channel '#garden'"],
  undo: ["undo", "undo --list", "undo 3vh2pr"],
}

/** Puts the help of all commands into groups, and examples after that of those people need first. */
export function groupHelp(program: Command, called: string): void {
  for (const { title, commands } of groups)
    for (const command of program.commands) if (commands.includes(command.name())) command.helpGroup(title)
  exemplify(program, examples[""] ?? [], called)
  for (const command of program.commands) exemplify(command, examples[command.name()] ?? [], called)
}

function exemplify(command: Command, lines: readonly string[], called: string): void {
  if (lines.length === 0) return
  const shown = lines.map((line) => `  ${calledAs(called)} ${line}`)
  command.addHelpText("after", `\nExamples:\n${shown.join("\n")}`)
}
