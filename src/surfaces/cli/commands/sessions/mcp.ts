import { Writable } from "node:stream"
import type { Command } from "commander"
import { isDaemonUp } from "../../../../api/socket-fetch.ts"
import { newId } from "../../../../base/random.ts"
import { openLongLivedClient } from "../../../long-lived-client.ts"
import type { CliNeeds } from "../../needs.ts"
import { folder } from "../../scope-options.ts"

/** `reverie mcp` */
export function mcpCommand(program: Command, needs: CliNeeds): void {
  program
    .command("mcp")
    .description("serve memory to an agent over MCP, on standard input and output")
    .option("--project <dir>", "the project of calls that name none (default: the current folder's)")
    .action((options: { project?: string }) => serveMcp(needs, options))
}

async function serveMcp(needs: CliNeeds, options: { project?: string }): Promise<void> {
  const { serveMcpStdio } = await import("../../../mcp/stdio.ts")
  const { startingFolder } = await import("../../../mcp/client-context.ts")
  const session = newId(needs.random, "mcp")
  const api = openLongLivedClient({
    connect: () => needs.connect("mcp", session),
    isDaemonUp: () => isDaemonUp(needs.paths.socket),
  })
  const context = {
    folder: folder(needs, options.project) ?? startingFolder(needs.cwd, needs.env.userHome),
    session: `reverie:${session.replace("_", "-")}`,
  }
  if (needs.input.isTTY) {
    needs.output.say("Waiting for an MCP client on standard input; Ctrl-C ends it.")
  }
  const report = (text: string) => needs.output.say(`reverie: ${text}`)
  try {
    const clean = await openCleaner(needs)
    const streams = { input: needs.input, output: streamTo(needs.output) }
    await serveMcpStdio({ use: api.use, clean, report }, context, streams)
  } finally {
    await api.close()
  }
}

/** Standard output as a stream. */
function streamTo(output: CliNeeds["output"]): Writable {
  return new Writable({
    write(bytes: Buffer, _encoding, done) {
      output.raw(bytes).then(() => done(), done)
    },
  })
}

async function openCleaner(needs: CliNeeds) {
  const { loadConfig } = await import("../../../../config/load.ts")
  const { openScreen } = await import("../../../../privacy/screen.ts")
  const { createProjectFinder } = await import("../../../../memory/model/project.ts")
  const { openCleaning } = await import("../../../mcp/clean.ts")
  const config = loadConfig(needs.env, needs.paths)
  return openCleaning({
    screen: openScreen(needs, config.privacy),
    projects: createProjectFinder(needs),
    config,
  })
}
