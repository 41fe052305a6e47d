import type { Command } from "commander"
import { runHook } from "../../../run-hook.ts"
import type { CliNeeds } from "../../needs.ts"

/** `reverie hook`: main.ts runs it before all this is loaded; here it is for help and completion. */
export function hookCommand(program: Command, needs: CliNeeds): void {
  program
    .command("hook")
    .description("what a coding agent's hook runs: tells the daemon what it is given, prints the answer")
    .argument("<tool>")
    .argument("<event>")
    .action((tool: string, event: string) => {
      const seconds = needs.env.variable("REVERIE_HOOK_SECONDS")
      return runHook({ socket: needs.paths.socket, tool, event, seconds })
    })
}
