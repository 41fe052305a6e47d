import { Command, CommanderError } from "commander"
import { exitCodeOf, exitCodes, messageOf, tooManyFiles, UserError } from "../../base/errors.ts"
import { closest } from "../../base/text/text.ts"
import { version } from "../../base/version.ts"
import { withCalledName } from "./called.ts"
import { addCommandsFor } from "./command-table.ts"
import { greet } from "./commands/daemon/status.ts"
import { groupHelp } from "./help-groups.ts"
import type { CliNeeds } from "./needs.ts"

type RunNeeds = Omit<CliNeeds, "setExitCode">

/** Runs one command line and returns the exit code. Nothing it throws gets past here. */
export async function runCli(args: readonly string[], needs: RunNeeds): Promise<number> {
  let exitCode: number = exitCodes.done
  const setExitCode = (code: number) => {
    exitCode = code
  }
  const say = (text: string) => needs.output.say(withCalledName(text, needs.env.command))
  const output = { ...needs.output, say }
  // Copied without looking: standard input is opened when a command asks for it.
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
    const error = tooManyFiles(thrown) ?? thrown
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done
      json("usage", usageText(error))
      return exitCodes.usage
    }
    json(kindOf(error), messageOf(error))
    say(`reverie: ${messageOf(error)}`)
    if (!(error instanceof UserError)) say("This is a fault of ours; please report it.")
    return exitCodeOf(error)
  }
}

function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--")
  return args.slice(0, end === -1 ? args.length : end).includes("--json")
}

/** What was wrong with the command line, which was told on stderr already. */
function usageText({ code, message }: CommanderError): string {
  if (code === "commander.help") return "A command is missing; --help lists them."
  const text = message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " ")
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?)]$/.test(sentence) ? sentence : `${sentence}.`
}

function kindOf(error: unknown): string {
  return error instanceof UserError ? error.kind : "failed"
}

function helpCommand(): Command {
  const help = new Command("help").argument("[command]").description("display help for command")
  return help.helpOption(false).helpGroup("Set-up and trouble:")
}

/** `reverie --json memory list` is `reverie memory list --json`. */
function passJson(program: Command, action: Command): void {
  if (action === program || !program.opts().json) return
  if (action.options.some(({ long }) => long === "--json")) return void action.setOptionValue("json", true)
  program.error(`error: '${action.name()}' has no --json`)
}

/** A command takes no words that it would ignore, and what is wrong with it points to its own help. */
function beStrict(command: Command, called: string): void {
  const isGroup = command.commands.length > 0
  const told = isGroup ? "lists its commands" : "shows how it is used"
  command.showHelpAfterError(`(\`${called} --help\` ${told})`)
  // What other programs call must not break because a newer one of them says more.
  if (command.name() !== "hook") command.allowExcessArguments(false)
  // Commander calls this by its name, though its types do not tell.
  const missingArgument = (name: string) => command.error(`error: ${missingText(command, name, called)}`)
  Object.assign(command, { missingArgument })
  for (const part of command.commands) beStrict(part, `${called} ${part.name()}`)
}

/** What an argument may be, for an example. */
const samples: Record<string, string> = {
  text: '"The staging port is 5433"',
  query: "staging port",
  prompt: '"How do I deploy?"',
  id: "3vh2pr",
  file: "notes.md",
  tag: "infra",
  key: "api.port",
  value: "7373",
}

/** One sentence about an argument that was left out, with a command that has it. */
function missingText(command: Command, name: string, called: string): string {
  const words = command.registeredArguments.filter(({ required }) => required)
  const example = words.map(
    (word) => word.argChoices?.[0] ?? samples[word.name()] ?? word.name().toUpperCase(),
  )
  return `\`${called}\` needs ${articled(name)}, as in \`${called} ${example.join(" ")}\`.`
}

function articled(name: string): string {
  return `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`
}

async function buildProgram(args: readonly string[], needs: CliNeeds): Promise<Command> {
  const program = new Command("reverie")
    .description("An always-on companion that remembers, tends and listens.")
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
    .addHelpCommand(helpCommand())
    .option("--json", "answer in JSON")
    .argument("[command]")
    .allowExcessArguments()
    .action(async (command: string | undefined, options: { json?: boolean }) => {
      if (command === undefined) {
        return greet(needs, options.json ?? false)
      }
      const meant = closest(
        command,
        program.commands.map((one) => one.name()),
      )
      const ofMemory = program.commands
        .find((one) => one.name() === "memory")
        ?.commands.some((one) => one.name() === command)
      const better = ofMemory ? `memory ${command}` : meant
      const hint = better ? ` (did you mean ${better}?)` : ""
      return program.error(`error: unknown command '${command}'${hint}`)
    })
  await addCommandsFor(args, program, needs)
  for (const command of program.commands) beStrict(command, `reverie ${command.name()}`)
  groupHelp(program, needs.env.command)
  return program
}
