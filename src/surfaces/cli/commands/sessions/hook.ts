import type { Command } from "commander"
import { runHook } from "../../../run-hook.ts"
import type { CliNeeds } from "../../needs.ts"

/** `reverie hook`. main.ts runs it without loading this file, which serves help and completion. */
export function hookCommand(program: Command, needs: CliNeeds): void {
  program
    .command("hook")
    .description("run as a coding agent's hook: send standard input to the daemon, print its answer")
    .argument("<tool>")
    .argument("<event>")
    .action((tool: string, event: string) => {
      const seconds = needs.env.variable("REVERIE_HOOK_SECONDS")
      return runHook({ socket: needs.paths.socket, tool, event, seconds })
    })
}
