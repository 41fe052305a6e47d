import { Argument, type Command } from "commander"
import { isDaemonUp } from "../../../../api/socket-fetch.ts"
import { UserError } from "../../../../base/errors.ts"
import { connectTool, disconnectTool } from "../../../../coding/connect/connect.ts"
import type { Connectable, ConnectRequest } from "../../../../coding/connect/connectable.ts"
import { type FileChange, planConnection, planDisconnection } from "../../../../coding/connect/plan.ts"
import { type Connection, currentConnection, type ToolState } from "../../../../coding/connect/tool-state.ts"
import { connectables, notesAfter } from "../../../../coding/connect/tools.ts"
import { type HookTool, hookTools } from "../../../../coding/hooks/dialect.ts"
import { hookToken, loadInstall } from "../../../../config/install.ts"
import { loadConfig } from "../../../../config/load.ts"
import { isConfirmed } from "../../ask.ts"
import { connectSetup, isUnconnected, problemsOf, toolStates } from "../../connected-tools.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { folder } from "../../scope-options.ts"
import { type Done, doneJson, type Outcome, printDone, printPlan, showPlan } from "../../view/connect.ts"

interface ConnectOptions {
  all?: boolean
  diff?: boolean
  project?: string | true
  mcp?: boolean
  http?: boolean
  print?: boolean
  dryRun?: boolean
  yes?: boolean
  uninstall?: boolean
  json?: boolean
}

/** `reverie connect` */
export function connectCommand(program: Command, needs: CliNeeds): void {
  program
    .command("connect")
    .description("let a coding agent use the memory; without a tool, show the state of each")
    .addArgument(
      new Argument("[tool]", "the tool to connect").choices([...hookTools, ...Object.keys(shortNames)]),
    )
    .option("--all", "every tool found on this machine")
    .option("--project [dir]", "in this project only (default: the current folder)")
    .option("--mcp", "also register the MCP server")
    .option("--http", "claude-code: call the daemon over HTTP instead of starting a process")
    .option("--print", "print the new files, and change nothing")
    .option("--dry-run", "show what would change, and change nothing")
    .option("--diff", "show the changes line by line")
    .option("--yes", "do not ask for confirmation")
    .option("--uninstall", "undo the connection")
    .option("--json", "print JSON")
    .action(async (given: string | undefined, options: ConnectOptions) => {
      const tool = hookTools.find((one) => one === (shortNames[given ?? ""] ?? given))
      if (options.all) return connectAll(needs, tool, options)
      if (tool === undefined) return showTools(needs, options)
      const done = await connect(needs, connectables[tool], options)
      if (options.json && done) needs.output.json(doneJson(done))
      if (!options.json && done?.outcome === "connected") await warnWithoutDaemon(needs)
    })
}

/** Short names of some tools. */
const shortNames: Record<string, HookTool> = { claude: "claude-code", gemini: "gemini-cli" }

async function connectAll(
  needs: CliNeeds,
  tool: HookTool | undefined,
  options: ConnectOptions,
): Promise<void> {
  if (tool !== undefined) throw new UserError("usage", `--all means every tool; leave ${tool} out.`)
  const chosen = toolStates(needs).filter(({ found, connections }) =>
    options.uninstall ? connections.length > 0 : found,
  )
  if (chosen.length === 0)
    throw new UserError(
      "not-found",
      options.uninstall
        ? "No tool is connected, so there is nothing to undo."
        : `None of ${hookTools.join(", ")} was found on this machine; name one to connect it anyway.`,
    )
  const { all, failed } = await connectEach(needs, chosen, options)
  if (options.json && all.length > 0) needs.output.json({ schemaVersion: 1, tools: all.map(doneJson) })
  if (!options.json && all.some(({ outcome }) => outcome === "connected")) await warnWithoutDaemon(needs)
  for (const error of failed.slice(1)) needs.output.say(error.message)
  if (failed[0]) throw failed[0]
}

/** Connects or disconnects these tools. One tool's broken settings do not stop the others. */
async function connectEach(needs: CliNeeds, chosen: readonly ToolState[], options: ConnectOptions) {
  const all: Done[] = []
  const failed: UserError[] = []
  for (const { tool } of chosen) {
    try {
      const done = await connect(needs, connectables[tool], options)
      if (done) all.push(done)
    } catch (error) {
      if (!(error instanceof UserError) || error.kind === "usage") throw error
      failed.push(error)
    }
  }
  return { all, failed }
}

/** Connects a tool again with the options it has, and prints nothing. */
export function reconnect(needs: CliNeeds, tool: HookTool, project: string | null): void {
  const all = connectSetup(needs)
  const current = currentConnection(all.host, connectables[tool], project ?? undefined)
  const request: ConnectRequest = {
    project: project ?? undefined,
    mcp: current.mcp,
    http: current.http ? httpEndpoint(needs) : undefined,
  }
  connectTool(all, connectables[tool], request, planConnection(all, connectables[tool], request))
}

/** Connects every tool that is found and not connected yet, and returns their names. */
export async function connectFound(needs: CliNeeds): Promise<string[]> {
  const open = toolStates(needs).filter(isUnconnected)
  for (const { tool } of open) reconnect(needs, tool, null)
  return open.map(({ name }) => name)
}

/** A connected tool gets no memories while no daemon runs. */
async function warnWithoutDaemon({ output, paths }: CliNeeds): Promise<void> {
  if (!(await isDaemonUp(paths.socket)))
    output.say("The daemon is not running, so agents get no memories yet; `reverie start` starts it.")
}

/** Connects or disconnects one tool and reports it; undefined with --print. */
async function connect(
  needs: CliNeeds,
  tool: Connectable,
  options: ConnectOptions,
): Promise<Done | undefined> {
  const request = requestOf(needs, tool, options)
  const all = connectSetup(needs)
  const plan = options.uninstall
    ? planDisconnection(all, tool, request.project)
    : planConnection(all, tool, request)
  if (options.print) {
    printPlan(needs.output, plan)
    return undefined
  }
  if (!options.json) showPlan(needs, tool, plan, options.diff ?? false)
  const outcome = outcomeOf(options, plan)
  if (outcome === "connected" || outcome === "disconnected") await confirm(needs, tool, options)
  const copies = options.uninstall || options.dryRun ? [] : connectTool(all, tool, request, plan)
  if (outcome === "disconnected") disconnectTool(all, tool, plan)
  const waits =
    options.uninstall || options.dryRun ? undefined : tool.pendingStep?.(all.host, request.project, false)
  const notes =
    outcome === "disconnected"
      ? []
      : [...(waits ? [`${waits}.`] : []), ...notesAfter(tool, all.host, request)]
  const done = { tool, project: request.project, outcome, plan, copies, notes }
  if (!options.json) printDone(needs, done)
  return done
}

function requestOf(needs: CliNeeds, { tool }: Connectable, options: ConnectOptions): ConnectRequest {
  if (options.http && tool !== "claude-code")
    throw new UserError("usage", "--http is for claude-code only; leave it out.")
  return {
    project: folder(needs, options.project),
    mcp: options.mcp ?? false,
    http: options.http && !options.uninstall ? httpEndpoint(needs) : undefined,
  }
}

/** Where Claude Code can ask over HTTP whatever daemon runs: that must not change from one start to the next. */
function httpEndpoint({ env, paths, random }: CliNeeds): ConnectRequest["http"] {
  const { http, port } = loadConfig(env, paths).api
  if (!http) throw new UserError("config", "--http needs the daemon's port; set api.http to true first.")
  if (port === 0)
    throw new UserError(
      "config",
      "--http needs a port that stays the same; set api.port to one that is free.",
    )
  const { token } = loadInstall(paths.installFile, random)
  return { url: `http://127.0.0.1:${port}`, token: hookToken(token) }
}

function outcomeOf({ uninstall, dryRun }: ConnectOptions, plan: readonly FileChange[]): Outcome {
  if (plan.length === 0) return "unchanged"
  if (dryRun) return "planned"
  return uninstall ? "disconnected" : "connected"
}

/** Asks on a terminal; without one, --yes is required. */
async function confirm(
  needs: CliNeeds,
  tool: Connectable,
  { yes, uninstall }: ConnectOptions,
): Promise<void> {
  if (yes) return
  if (!needs.input.isTTY)
    throw new UserError("refused", "Nothing was changed: there is no terminal to ask on; give --yes.")
  const act = uninstall ? "Disconnect" : "Connect"
  if (!(await isConfirmed(needs, `${act} ${tool.name} like this?`)))
    throw new UserError("refused", "Nothing was changed.")
}

async function showTools(needs: CliNeeds, { json, ...others }: ConnectOptions): Promise<void> {
  if (Object.keys(others).length > 0)
    throw new UserError("usage", `Name the tool to connect: ${hookTools.join(", ")}.`)
  const tools = toolStates(needs)
  if (json) return needs.output.json({ schemaVersion: 1, tools })
  needs.output.data(table(tools.flatMap(rowsOf), needs.output.width))
  for (const line of tools.flatMap(problemsOf)) needs.output.say(`\n${line}`)
  if (tools.some(isUnconnected))
    needs.output.say("\n`reverie connect TOOL` connects one, `reverie connect --all` every tool found here.")
  if (tools.some(({ connections }) => connections.length > 0)) await warnWithoutDaemon(needs)
}

function rowsOf({ tool, found, connections, advice }: ToolState): string[][] {
  if (connections.length === 0) return [[tool, found ? "not connected" : "not found", ""]]
  return connections.map((connection) => [tool, stateOf(connection, advice), connection.file])
}

function stateOf({ problem, project }: Connection, advice: readonly string[]): string {
  if (problem !== null) return "broken"
  return `connected${project === null ? "" : " in a project"}${advice.length > 0 ? ", waits" : ""}`
}
