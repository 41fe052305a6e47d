import type { Command } from "commander"
import { calledAs } from "./called.ts"
import { commandGroups } from "./command-table.ts"

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
  for (const { title, files } of commandGroups) {
    const names = new Set(files.flatMap((file) => file.names))
    for (const command of program.commands) if (names.has(command.name())) command.helpGroup(title)
  }
  exemplify(program, examples[""] ?? [], called)
  for (const command of program.commands) exemplify(command, examples[command.name()] ?? [], called)
}

function exemplify(command: Command, lines: readonly string[], called: string): void {
  if (lines.length === 0) return
  const shown = lines.map((line) => `  ${calledAs(called)} ${line}`)
  command.addHelpText("after", `\nExamples:\n${shown.join("\n")}`)
}
