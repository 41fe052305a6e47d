import type { Command } from "commander"
import { commandName } from "./command-name.ts"
import { commandGroups } from "./command-table.ts"

const examples: Record<string, readonly string[]> = {
  reverie: ['add "Never push to main"', "search how do we deploy", "connect --all", "status"],
  memory: ["memory list --type preference", "memory show 3vh2pr", 'memory edit 3vh2pr "The port is 5433"'],
  add: ['add "The staging database runs on port 5433"', 'add "Answers should be short" --global'],
  search: ["search staging port", "search deploy --all-projects --limit 3"],
  connect: ["connect --all", "connect claude --dry-run --diff", "connect codex --uninstall"],
  sessions: ["sessions --tool codex", "sessions show 3vh2pr"],
  chat: ["chat setup discord", "chat setup irc --host irc.libera.chat --nick fern --channel '#garden'"],
  undo: ["undo", "undo --list", "undo 3vh2pr"],
}

/** Groups the commands in the help, and adds examples. */
export function groupHelp(program: Command, called: string): void {
  for (const [title, files] of Object.entries(commandGroups)) {
    const names = Object.keys(files).flatMap((key) => key.split(" "))
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(title)
  }
  for (const command of [program, ...program.commands]) {
    const lines = examples[command.name()]?.map((line) => `  ${commandName(called)} ${line}`)
    if (lines) command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`)
  }
}
