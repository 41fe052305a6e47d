import { Command, CommanderError } from "commander"
import { exitCodeOf, exitCodes, messageOf, tooManyFilesError, UserError } from "../../base/errors.ts"
import { closest } from "../../base/text/text.ts"
import { version } from "../../base/version.ts"
import { withCommandName } from "./command-name.ts"
import { addCommandsFor } from "./command-table.ts"
import { greet } from "./commands/daemon/status.ts"
import { groupHelp } from "./help-groups.ts"
import type { CliNeeds } from "./needs.ts"

/** Runs one command line and returns the exit code. It never throws. */
export async function runCli(args: readonly string[], needs: Omit<CliNeeds, "setExitCode">): Promise<number> {
  let exitCode: number = exitCodes.done
  const setExitCode = (code: number) => {
    exitCode = code
  }
  const say = (text: string) => needs.output.say(withCommandName(text, needs.env.command))
  const output = { ...needs.output, say }
  // Copies getters unread: standard input is opened only when a command uses it.
  const own = Object.getOwnPropertyDescriptors({ output, setExitCode })
  const all: CliNeeds = Object.create(null, { ...Object.getOwnPropertyDescriptors(needs), ...own })
  const program = await buildProgram(args, all)
  const json = (kind: string, message: string) => {
    if (wantsJson(args)) output.json({ schemaVersion: 1, error: { kind, message } })
  }
  try {
    await program.parseAsync([...args], { from: "user" })
    return exitCode
  } catch (thrown) {
    const error = tooManyFilesError(thrown) ?? thrown
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done
      json("usage", usageText(error))
      return exitCodes.usage
    }
    json(kindOf(error), messageOf(error))
    say(`reverie: ${messageOf(error)}`)
    if (!(error instanceof UserError)) say("This is a bug in Reverie; please report it.")
    return exitCodeOf(error)
  }
}

function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--")
  return args.slice(0, end === -1 ? args.length : end).includes("--json")
}

/** What is wrong with the command line, as one sentence. Commander has printed it on stderr already. */
function usageText({ code, message }: CommanderError): string {
  if (code === "commander.help") return "Name a command; --help lists them."
  const text = message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " ")
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?)]$/.test(sentence) ? sentence : `${sentence}.`
}

function kindOf(error: unknown): string {
  return error instanceof UserError ? error.kind : "failed"
}

/** Adds `help`, because Commander's own shows the whole help for a command that does not exist. */
function addHelp(group: Command): void {
  const help = group.helpCommand(false).command("help")
  if (group.parent === null) help.helpGroup("Setup and troubleshooting:")
  help
    .argument("[command...]")
    .description("display help for command")
    .helpOption(false)
    .action((words: string[]) => {
      let command = group
      for (const word of words) {
        const found = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
        if (found === undefined)
          return command.error(`error: There is no command ${word}${similarTo(word, command)}.`)
        command = found
      }
      command.help()
    })
}

/** The command that a mistyped word most likely means, in parentheses; empty if there is none. */
function similarTo(word: string, group: Command): string {
  const memory = group.commands.find((one) => one.name() === "memory")
  const isOfMemory = memory?.commands.some((one) => one.name() === word)
  const names = group.commands.map((one) => one.name())
  const similar = isOfMemory ? `memory ${word}` : closest(word, names)
  return similar ? ` (did you mean ${similar}?)` : ""
}

/** `reverie --json memory list` is `reverie memory list --json`. */
function passJson(program: Command, action: Command): void {
  if (action === program || action.name() === "help" || !program.opts().json) return
  if (action.options.some(({ long }) => long === "--json")) return void action.setOptionValue("json", true)
  program.error(`error: '${action.name()}' has no --json`)
}

/** Refuses words that a command would ignore, and makes its usage errors name its own help. */
function beStrict(command: Command, called: string): void {
  // Commander gives this help of its own to groups that do nothing alone.
  if (
    command
      .createHelp()
      .visibleCommands(command)
      .some((one) => one.name() === "help")
  )
    addHelp(command)
  const isGroup = command.commands.length > 0
  const help = isGroup ? "lists its commands" : "shows how to use it"
  command.showHelpAfterError(`(\`${called} --help\` ${help})`)
  // Newer versions of the agents that call it may pass more arguments.
  if (command.name() !== "hook") command.allowExcessArguments(false)
  // Commander calls this method, although its types do not declare it.
  const missingArgument = (name: string) => command.error(`error: ${missingText(command, name, called)}`)
  Object.assign(command, { missingArgument })
  for (const part of command.commands) beStrict(part, `${called} ${part.name()}`)
}

/** Example values of arguments. */
const samples: Record<string, string> = {
  query: "staging port",
  prompt: '"How do I deploy?"',
  id: "3vh2pr",
  file: "notes.md",
  tag: "infra",
  key: "api.port",
  value: "7373",
}

/** Examples of the texts that commands take. */
const sampleTexts: Record<string, string> = {
  add: '"The staging port is 5433"',
  "memory add": '"The staging port is 5433"',
  "queue add": '"Look for flaky tests"',
  "inbox respond": '"Use the staging database"',
}

/** The error for a missing argument, with an example. */
function missingText(command: Command, name: string, called: string): string {
  const words = command.registeredArguments.filter(({ required }) => required)
  const given: Record<string, string | undefined> = {
    ...samples,
    text: sampleTexts[called.replace(/^reverie /, "")],
  }
  const example = words.map((word) => word.argChoices?.[0] ?? given[word.name()] ?? word.name().toUpperCase())
  return `\`${called}\` needs ${withArticle(name)}, as in \`${called} ${example.join(" ")}\`.`
}

function withArticle(name: string): string {
  return `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`
}

async function buildProgram(args: readonly string[], needs: CliNeeds): Promise<Command> {
  const program = new Command("reverie")
    .description("Long-term memory for coding agents and chat bots.")
    .version(version)
    .showHelpAfterError("(`reverie --help` lists all commands)")
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => needs.output.data(text.trimEnd()),
      writeErr: (text) => needs.output.say(text.trimEnd().replace(/^error:/, "reverie:")),
    })
    .exitOverride()
    .usage("[options] [command]")
    .enablePositionalOptions()
    .hook("preAction", passJson)
    .option("--json", "print JSON")
    .argument("[command]")
    .allowExcessArguments()
    .action(async (command: string | undefined, options: { json?: boolean }) => {
      if (command === undefined) return greet(needs, options.json ?? false)
      return program.error(`error: unknown command '${command}'${similarTo(command, program)}`)
    })
  await addCommandsFor(args, program, needs)
  addHelp(program)
  for (const command of program.commands) beStrict(command, `reverie ${command.name()}`)
  groupHelp(program, needs.env.command)
  return program
}
