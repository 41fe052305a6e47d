import { Argument, type Command } from "commander"
import { probeSocket } from "../../../../api/socket-fetch.ts"
import { UserError } from "../../../../base/errors.ts"
import {
  connectTool,
  partFromTool,
  plannedConnection,
  plannedParting,
} from "../../../../coding/connect/connect.ts"
import type { Connectable, Wish } from "../../../../coding/connect/connectable.ts"
import type { FileChange } from "../../../../coding/connect/plan.ts"
import { standingOf } from "../../../../coding/connect/standing.ts"
import { type Connection, readToolStates, type ToolState } from "../../../../coding/connect/tool-state.ts"
import { connectables } from "../../../../coding/connect/tools.ts"
import { type HookTool, hookTools } from "../../../../coding/hooks/dialect.ts"
import { hookToken, loadInstall } from "../../../../config/install.ts"
import { loadConfig } from "../../../../config/load.ts"
import { isConfirmed } from "../../ask.ts"
import { connectNeeds } from "../../connect-needs.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import { type Done, doneJson, type Outcome, printPlan, showPlan, tellDone } from "../../view/connect.ts"
import { troublesOf } from "../../view/tool-troubles.ts"
import { folder } from "../../view/view.ts"

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
    .option("--all", "every tool that is found on this machine")
    .option("--project [dir]", "in this project only (default: the current folder)")
    .option("--mcp", "also tell it of the MCP server")
    .option("--http", "claude-code: let it ask over HTTP, without a process of its own")
    .option("--print", "print what the files would hold, and change nothing")
    .option("--dry-run", "show what would change, and change nothing")
    .option("--diff", "show what changes line by line")
    .option("--yes", "do not ask")
    .option("--uninstall", "undo the connection")
    .option("--json", "answer in JSON")
    .action(async (given: string | undefined, options: ConnectOptions) => {
      const tool = hookTools.find((one) => one === (shortNames[given ?? ""] ?? given))
      if (options.all) return connectAll(needs, tool, options)
      if (tool === undefined) return showTools(needs, options)
      const done = await connect(needs, connectables[tool], options)
      if (options.json && done) needs.output.json(doneJson(done))
      if (!options.json && done?.outcome === "connected") await tellDaemon(needs)
    })
}

/** What people call some tools. */
const shortNames: Record<string, HookTool> = { claude: "claude-code", gemini: "gemini-cli" }

async function connectAll(
  needs: CliNeeds,
  tool: HookTool | undefined,
  options: ConnectOptions,
): Promise<void> {
  if (tool !== undefined) throw new UserError("usage", `--all means every tool; leave ${tool} out.`)
  const states = readToolStates(connectNeeds(needs))
  const meant = states.filter(({ found, connections }) =>
    options.uninstall ? connections.length > 0 : found,
  )
  if (meant.length === 0)
    throw new UserError(
      "not-found",
      options.uninstall
        ? "No tool is connected, so there is nothing to undo."
        : `None of ${hookTools.join(", ")} was found on this machine; name one to connect it all the same.`,
    )
  const { all, failed } = await connectEach(needs, meant, options)
  if (options.json && all.length > 0) needs.output.json({ schemaVersion: 1, tools: all.map(doneJson) })
  if (!options.json && all.some(({ outcome }) => outcome === "connected")) await tellDaemon(needs)
  for (const error of failed.slice(1)) needs.output.say(error.message)
  if (failed[0]) throw failed[0]
}

/** Connects a tool once more, as it was, and says nothing. */
export function reconnect(needs: CliNeeds, tool: HookTool, project: string | null): void {
  const all = connectNeeds(needs)
  const standing = standingOf(all.world, connectables[tool], project ?? undefined)
  const wish: Wish = {
    project: project ?? undefined,
    mcp: standing.mcp,
    http: standing.http ? httpDoor(needs) : undefined,
  }
  connectTool(all, connectables[tool], wish, plannedConnection(all, connectables[tool], wish))
}

/** Connects every tool that was found and is not connected yet; gives their names. */
export async function connectFound(needs: CliNeeds): Promise<string[]> {
  const open = readToolStates(connectNeeds(needs)).filter(
    ({ found, connections }) => found && connections.length === 0,
  )
  for (const { tool } of open) reconnect(needs, tool, null)
  return open.map(({ name }) => name)
}

/** One tool's broken settings are no reason to leave the others out. */
async function connectEach(needs: CliNeeds, meant: readonly ToolState[], options: ConnectOptions) {
  const all: Done[] = []
  const failed: UserError[] = []
  for (const { tool } of meant) {
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

/** A connection without a daemon brings nothing up. */
async function tellDaemon({ output, paths }: CliNeeds): Promise<void> {
  if ((await probeSocket(paths.socket)) !== "listening")
    output.say("The daemon is not running, so nothing is brought up yet: `reverie start` starts it.")
}

/** Connects one tool and tells of it; gives what was done unless that was printing. */
async function connect(
  needs: CliNeeds,
  tool: Connectable,
  options: ConnectOptions,
): Promise<Done | undefined> {
  const wish = wishOf(needs, tool, options)
  const all = connectNeeds(needs)
  const plan = options.uninstall
    ? plannedParting(all, tool, wish.project)
    : plannedConnection(all, tool, wish)
  if (options.print) {
    printPlan(needs.output, plan)
    return undefined
  }
  if (!options.json) showPlan(needs, tool, plan, options.diff ?? false)
  const outcome = outcomeOf(options, plan)
  if (outcome === "connected" || outcome === "disconnected") await confirm(needs, tool, options)
  const copies = options.uninstall || options.dryRun ? [] : connectTool(all, tool, wish, plan)
  if (outcome === "disconnected") partFromTool(all, tool, plan)
  const waits =
    options.uninstall || options.dryRun ? undefined : tool.waitsFor?.(all.world, wish.project, false)
  const notes =
    outcome === "disconnected" ? [] : [...(waits ? [`${waits}.`] : []), ...tool.notes(all.world, wish)]
  const done = { tool, project: wish.project, outcome, plan, copies, notes }
  if (!options.json) tellDone(needs, done)
  return done
}

function wishOf(needs: CliNeeds, { tool }: Connectable, options: ConnectOptions): Wish {
  if (options.http && tool !== "claude-code")
    throw new UserError("usage", "--http goes with claude-code only; leave it out.")
  return {
    project: folder(needs, options.project),
    mcp: options.mcp ?? false,
    http: options.http && !options.uninstall ? httpDoor(needs) : undefined,
  }
}

/** Where Claude Code can ask over HTTP whatever daemon runs: that must not change from one start to the next. */
function httpDoor({ env, paths, random }: CliNeeds): Wish["http"] {
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

/** Asks on a terminal; without one a yes must have been given. */
async function confirm(
  needs: CliNeeds,
  tool: Connectable,
  { yes, uninstall }: ConnectOptions,
): Promise<void> {
  if (yes) return
  if (!needs.input.isTTY)
    throw new UserError("refused", "Nothing was changed: there is no terminal to ask at; give --yes.")
  const act = uninstall ? "Disconnect" : "Connect"
  if (!(await isConfirmed(needs, `${act} ${tool.name} like this?`)))
    throw new UserError("refused", "Nothing was changed.")
}

async function showTools(needs: CliNeeds, { json, ...others }: ConnectOptions): Promise<void> {
  if (Object.keys(others).length > 0)
    throw new UserError("usage", `Name the tool to connect: ${hookTools.join(", ")}.`)
  const tools = readToolStates(connectNeeds(needs))
  if (json) {
    needs.output.json({ schemaVersion: 1, tools })
    return
  }
  needs.output.data(table(tools.flatMap(rowsOf), needs.output.width))
  for (const line of tools.flatMap(troublesOf)) needs.output.say(`\n${line}`)
  if (tools.some(({ found, connections }) => found && connections.length === 0))
    needs.output.say("\n`reverie connect TOOL` connects one, `reverie connect --all` each that is found.")
  if (tools.some(({ connections }) => connections.length > 0)) await tellDaemon(needs)
}

function rowsOf({ tool, found, connections, advice }: ToolState): string[][] {
  if (connections.length === 0) return [[tool, found ? "not connected" : "not found", ""]]
  return connections.map((connection) => [tool, stateOf(connection, advice), connection.file])
}

function stateOf({ problem, project }: Connection, advice: readonly string[]): string {
  if (problem !== null) return "broken"
  return `connected${project === null ? "" : " in a project"}${advice.length > 0 ? ", waits" : ""}`
}
