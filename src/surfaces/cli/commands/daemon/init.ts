import { existsSync } from "node:fs"
import type { Command } from "commander"
import type { Answer } from "../../../../api/contract/answers.ts"
import { probeSocket } from "../../../../api/socket-fetch.ts"
import { UserError } from "../../../../base/errors.ts"
import { writeAtomically } from "../../../../base/files/files.ts"
import type { ToolState } from "../../../../coding/connect/tool-state.ts"
import { isConfirmed } from "../../ask.ts"
import { calledAs } from "../../called.ts"
import { connectNeeds } from "../../connect-needs.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { withClient } from "../../session.ts"

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
    .description("set up: look at this machine, write a configuration file, connect the tools that are found")
    .option("--yes", "do not ask; tools are connected only with --connect")
    .option("--connect", "connect every tool that is found")
    .option("--empty", "begin with an empty memory although there are snapshots of one")
    .option("--json", "answer in JSON")
    .action((options: InitOptions) => init(needs, options))
}

async function init(needs: CliNeeds, { yes, connect, json, empty = false }: InitOptions): Promise<void> {
  const { output, paths } = needs
  if (empty) await (await needs.openDatabase({ mayBeNew: true })).close()
  const { readToolStates } = await import("../../../../coding/connect/tool-state.ts")
  const tools = readToolStates(connectNeeds(needs))
  const models = await withClient(needs, (client) => client.models())
  const isThere = existsSync(paths.configFile)
  if (!json) showFound(needs, tools, models)
  const open = tools.filter(({ found, connections }) => found && connections.length === 0)
  const canAsk = !json && !yes && needs.input.isTTY === true
  const isAsked = canAsk && (!isThere || (open.length > 0 && !connect))
  if (isAsked) await confirm(needs, { isThere, names: open.map(({ name }) => name) })
  if (!isThere) await writeConfig(paths.configFile)
  const outcome = isThere ? "unchanged" : "written"
  const connected = isAsked || connect ? await connectAll(needs) : []
  if (json) {
    const { configFile, dataDir, stateDir, socket, logFile } = paths
    const named = { configFile, dataDir, stateDir, socket, logFile }
    return output.json({ schemaVersion: 1, outcome, paths: named, tools, connected, jobs: models.jobs })
  }
  const sentences = {
    unchanged: `${paths.configFile} was there already and stays as it is.`,
    written: `Wrote ${paths.configFile}; everything in it is commented out, so the defaults apply.`,
  }
  const isRunning = (await probeSocket(paths.socket)) === "listening"
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
    return program ? `found, ${how}` : `${how}; its settings are here, its program is not in PATH`
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

async function connectAll(needs: CliNeeds): Promise<string[]> {
  const { connectFound } = await import("../sessions/connect.ts")
  return connectFound(needs)
}

/** One question for all that will be done. */
async function confirm(
  needs: CliNeeds,
  { isThere, names }: { isThere: boolean; names: readonly string[] },
): Promise<void> {
  const acts = [
    ...(isThere ? [] : [`write ${needs.paths.configFile}`]),
    ...(names.length === 0 ? [] : [`connect ${names.join(" and ")}`]),
  ].join(" and ")
  if (!(await isConfirmed(needs, `\nShall I ${acts}?`)))
    throw new UserError("refused", "Nothing was written.")
}

async function writeConfig(file: string): Promise<void> {
  const { configTemplate } = await import("../../../../config/template.ts")
  writeAtomically(file, configTemplate())
}

function nextThings({ env }: CliNeeds, tools: readonly ToolState[], isRunning: boolean): string {
  const command = calledAs(env.command)
  const open = tools.filter(({ found, connections }) => found && connections.length === 0)
  const connect = open.map(({ tool }) => `connect ${tool}`)
  const next = [...connect, ...(isRunning ? [] : ["start", "service install"])]
  return next.length === 0 ? "" : ["\nNext:", ...next.map((words) => `  ${command} ${words}`)].join("\n")
}
