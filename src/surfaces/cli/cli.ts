import { Command, CommanderError } from "commander"
import { exitCodeOf, exitCodes, messageOf, tooManyFiles, UserError } from "../../base/errors.ts"
import { closest } from "../../base/text/text.ts"
import { version } from "../../base/version.ts"
import { withCalledName } from "./called.ts"
import { chatCommand } from "./commands/chat/chat.ts"
import { completionCommand } from "./commands/completion.ts"
import { configCommand } from "./commands/config.ts"
import { daemonCommands } from "./commands/daemon/daemon.ts"
import { doctorCommand } from "./commands/daemon/doctor.ts"
import { initCommand } from "./commands/daemon/init.ts"
import { logsCommands } from "./commands/daemon/logs.ts"
import { serviceCommand } from "./commands/daemon/service.ts"
import { snapshotCommand } from "./commands/daemon/snapshot.ts"
import { greet, statusCommand } from "./commands/daemon/status.ts"
import { statuslineCommand } from "./commands/daemon/statusline.ts"
import { webCommand } from "./commands/daemon/web.ts"
import { addCommand } from "./commands/memory/add.ts"
import { conflictsCommand, resolveCommand } from "./commands/memory/conflicts.ts"
import { memoryCommand } from "./commands/memory/memory.ts"
import { recallCommand } from "./commands/memory/recall.ts"
import { searchCommand } from "./commands/memory/search.ts"
import { undoCommand } from "./commands/memory/undo.ts"
import { loginCommand } from "./commands/models/login.ts"
import { logoutCommand } from "./commands/models/logout.ts"
import { modelsCommand } from "./commands/models/models.ts"
import { connectCommand } from "./commands/sessions/connect.ts"
import { extractCommand } from "./commands/sessions/extract.ts"
import { hookCommand } from "./commands/sessions/hook.ts"
import { mcpCommand } from "./commands/sessions/mcp.ts"
import { sessionsCommand } from "./commands/sessions/sessions.ts"
import { usageCommand } from "./commands/sessions/usage.ts"
import { ambientCommands } from "./commands/tending/ambient.ts"
import { budgetCommand } from "./commands/tending/budget.ts"
import { cyclesCommand } from "./commands/tending/cycles.ts"
import { inboxCommand } from "./commands/tending/inbox.ts"
import { queueCommand } from "./commands/tending/queue.ts"
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
  const program = buildProgram({ ...needs, output, setExitCode })
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

function buildProgram(needs: CliNeeds): Command {
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
    .action((command: string | undefined, options: { json?: boolean }) => {
      if (command === undefined) return greet(needs, options.json ?? false)
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
  addCommand(program, needs)
  searchCommand(program, needs)
  memoryCommand(program, needs)
  conflictsCommand(program, needs)
  resolveCommand(program, needs)
  undoCommand(program, needs)
  connectCommand(program, needs)
  sessionsCommand(program, needs)
  extractCommand(program, needs)
  recallCommand(program, needs)
  mcpCommand(program, needs)
  hookCommand(program, needs)
  daemonCommands(program, needs)
  serviceCommand(program, needs)
  statusCommand(program, needs)
  webCommand(program, needs)
  ambientCommands(program, needs)
  inboxCommand(program, needs)
  queueCommand(program, needs)
  cyclesCommand(program, needs)
  modelsCommand(program, needs)
  loginCommand(program, needs)
  logoutCommand(program, needs)
  usageCommand(program, needs)
  budgetCommand(program, needs)
  chatCommand(program, needs)
  statuslineCommand(program, needs)
  initCommand(program, needs)
  configCommand(program, needs)
  doctorCommand(program, needs)
  logsCommands(program, needs)
  snapshotCommand(program, needs)
  completionCommand(program, needs)
  groupHelp(program, needs.env.command)
  return program
}
