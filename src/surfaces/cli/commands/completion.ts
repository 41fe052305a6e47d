import { Argument, type Command } from "commander"
import type { CliNeeds } from "../needs.ts"

const shells = ["bash", "zsh", "fish"] as const

/** `reverie completion SHELL`, and the hidden command that the printed scripts call at each Tab. */
export function completionCommand(program: Command, needs: CliNeeds): void {
  program
    .command("completion")
    .description("print a script that lets your shell complete reverie's commands")
    .addArgument(new Argument("<shell>").choices(shells))
    .action((shell: (typeof shells)[number]) => needs.output.data(scripts[shell]))
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .helpOption(false)
    .allowUnknownOption()
    .action((words: string[]) => {
      for (const candidate of candidates(program, words)) needs.output.data(candidate)
    })
}

/** Completions of the last word. */
function candidates(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? ""
  const before = words.slice(0, -1)
  let command = program
  for (const word of before) command = command.commands.find((sub) => sub.name() === word) ?? command
  return all(command, before.at(-1))
    .filter((candidate) => candidate.startsWith(last) && (last.startsWith("-") || !candidate.startsWith("-")))
    .sort()
}

function all(command: Command, previous: string | undefined): string[] {
  const option = command.options.find((one) => one.long === previous || one.short === previous)
  if (option?.argChoices) return option.argChoices
  const help = command.createHelp()
  const flags = help.visibleOptions(command).flatMap((one) => (one.long ? [one.long] : []))
  // What follows is the option's value, of which nothing is known; a shell offers files.
  if (option?.required) return []
  if (option?.optional) return flags
  const subcommands = help.visibleCommands(command).map((sub) => sub.name())
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? [])
  return [...subcommands, ...choices, ...flags]
}

const scripts: Record<(typeof shells)[number], string> = {
  bash: `# Put this in ~/.bashrc:  eval "$(reverie completion bash)"
_reverie_complete() {
  local IFS=$'\\n'
  COMPREPLY=( $("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) )
}
complete -o default -F _reverie_complete reverie`,
  zsh: `# Put this in ~/.zshrc:  autoload -U compinit && compinit; eval "$(reverie completion zsh)"
_reverie_complete() {
  local -a found
  found=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
compdef _reverie_complete reverie`,
  fish: `# Put this in ~/.config/fish/completions/reverie.fish:  reverie completion fish > ~/.config/fish/completions/reverie.fish
complete -c reverie -a '(reverie __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
}
