import { existsSync } from "node:fs"
import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { isDaemonUp } from "../../../../api/socket-fetch.ts"
import { UserError } from "../../../../base/errors.ts"
import { writeAtomically } from "../../../../base/files/files.ts"
import type { ToolState } from "../../../../coding/connect/tool-state.ts"
import { withClient } from "../../api-command.ts"
import { isConfirmed } from "../../ask.ts"
import { commandName } from "../../command-name.ts"
import { isUnconnected, toolStates } from "../../connected-tools.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { connectFound } from "../sessions/connect.ts"

interface InitOptions {
  yes?: boolean
  connect?: boolean
  json?: boolean
  empty?: boolean
}

/** `reverie init` */
export function initCommand(program: Command, needs: CliNeeds): void {
  program
    .command("init")
    .description("set up Reverie: find tools and models, write a configuration file, connect the tools")
    .option("--yes", "do not ask for confirmation; connect tools only with --connect")
    .option("--connect", "connect every tool found")
    .option("--empty", "start with an empty memory even if there are snapshots")
    .option("--json", "print JSON")
    .action((options: InitOptions) => init(needs, options))
}

async function init(needs: CliNeeds, { yes, connect, json, empty = false }: InitOptions): Promise<void> {
  const { output, paths } = needs
  if (empty) await (await needs.openDatabase({ mayBeNew: true })).close()
  const tools = toolStates(needs)
  const models = await withClient(needs, (client) => client.models())
  const isThere = existsSync(paths.configFile)
  if (!json) showFound(needs, tools, models)
  const open = tools.filter(isUnconnected)
  const canAsk = !json && !yes && needs.input.isTTY === true
  const isAsked = canAsk && (!isThere || (open.length > 0 && !connect))
  if (isAsked)
    await confirm(
      needs,
      isThere,
      open.map(({ name }) => name),
    )
  if (!isThere) {
    const { configTemplate } = await import("../../../../config/template.ts")
    writeAtomically(paths.configFile, configTemplate())
  }
  const outcome = isThere ? "unchanged" : "written"
  const connected = isAsked || connect ? await connectFound(needs) : []
  if (json) {
    const { configFile, dataDir, stateDir, socket, logFile } = paths
    const named = { configFile, dataDir, stateDir, socket, logFile }
    return output.json({ schemaVersion: 1, outcome, paths: named, tools, connected, jobs: models.jobs })
  }
  const sentences = {
    unchanged: `${paths.configFile} already exists and was not changed.`,
    written: `Wrote ${paths.configFile}; everything in it is commented out, so the defaults apply.`,
  }
  const isRunning = await isDaemonUp(paths.socket)
  output.say(`\n${sentences[outcome]}`)
  if (connected.length > 0)
    output.say(`Connected ${connected.join(", ")}; \`reverie connect TOOL --uninstall\` undoes that.`)
  const left = tools.filter(({ name }) => !connected.includes(name))
  const next = nextThings(needs, left, isRunning)
  if (next !== "") output.say(next.trimStart())
}

function showFound(
  { output, paths }: CliNeeds,
  tools: readonly ToolState[],
  { jobs }: Answer<"models">,
): void {
  const state = ({ found, program, connections }: ToolState) => {
    const how = connections.length > 0 ? "connected" : "not connected"
    if (!found) return "not found"
    return program ? `found, ${how}` : `${how}; its settings exist, but its program is not in PATH`
  }
  const rows = [
    ["settings", paths.configFile],
    ["data", paths.dataDir],
    ["log", paths.logFile],
    ...tools.map((tool) => [tool.name, state(tool)]),
    ...jobs.map(({ job, chosen, why }) => [
      `model for ${job}`,
      chosen ? `${chosen.access}/${chosen.model}` : `none: ${why}`,
    ]),
  ]
  output.data(table(rows, output.width))
}

/** Asks one question for everything that will be done. */
async function confirm(needs: CliNeeds, isThere: boolean, names: readonly string[]): Promise<void> {
  const acts = [
    ...(isThere ? [] : [`write ${needs.paths.configFile}`]),
    ...(names.length === 0 ? [] : [`connect ${names.join(" and ")}`]),
  ].join(" and ")
  if (!(await isConfirmed(needs, `\nShall I ${acts}?`)))
    throw new UserError("refused", "Nothing was written.")
}

function nextThings({ env }: CliNeeds, tools: readonly ToolState[], isRunning: boolean): string {
  const command = commandName(env.command)
  const connect = tools.filter(isUnconnected).map(({ tool }) => `connect ${tool}`)
  const next = [...connect, ...(isRunning ? [] : ["start", "service install"])]
  return next.length === 0 ? "" : ["\nNext:", ...next.map((words) => `  ${command} ${words}`)].join("\n")
}
