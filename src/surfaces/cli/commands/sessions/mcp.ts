import { Writable } from "node:stream"
import type { Command } from "commander"
import { probeSocket } from "../../../../api/socket-fetch.ts"
import { newId } from "../../../../base/random.ts"
import { openLasting } from "../../../lasting.ts"
import type { CliNeeds } from "../../needs.ts"
import { folder } from "../../view/view.ts"

/** `reverie mcp`: the memory as tools for any program that speaks MCP. */
export function mcpCommand(program: Command, needs: CliNeeds): void {
  program
    .command("mcp")
    .description("serve memory to an agent over MCP, on standard input and output")
    .option("--project <dir>", "the project that calls are about (default: the current folder's)")
    .action((options: { project?: string }) => serveMcp(needs, options))
}

async function serveMcp(needs: CliNeeds, options: { project?: string }): Promise<void> {
  // Loaded here, so that other commands stay quick.
  const { serveMcpStdio } = await import("../../../mcp/stdio.ts")
  const { startingFolder } = await import("../../../mcp/client-context.ts")
  const session = newId(needs.random, "mcp")
  const lasting = openLasting({
    connect: () => needs.connect("mcp", session),
    isDaemonUp: async () => (await probeSocket(needs.paths.socket)) === "listening",
  })
  const context = {
    folder: folder(needs, options.project) ?? startingFolder(needs.cwd, needs.env.userHome),
    session: `reverie:${session.replace("_", "-")}`,
  }
  if (needs.input.isTTY) {
    needs.output.say("Waiting for a program that speaks MCP on standard input; Ctrl-C ends it.")
  }
  const tell = (text: string) => needs.output.say(`reverie: ${text}`)
  try {
    const clean = await openOwnCleaning(needs)
    const streams = { input: needs.input, output: streamTo(needs.output) }
    await serveMcpStdio({ use: lasting.use, clean, tell }, context, streams)
  } finally {
    await lasting.close()
  }
}

/** Standard output, for what wants a stream. */
function streamTo(output: CliNeeds["output"]): Writable {
  return new Writable({
    write(bytes: Buffer, _encoding, done) {
      output.raw(bytes).then(() => done(), done)
    },
  })
}

async function openOwnCleaning(needs: CliNeeds) {
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
