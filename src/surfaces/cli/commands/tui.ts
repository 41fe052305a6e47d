import type { Command } from "commander"
import { isDaemonUp } from "../../../api/socket-fetch.ts"
import { UserError } from "../../../base/errors.ts"
import { openLongLivedClient } from "../../long-lived-client.ts"
import type { CliNeeds } from "../needs.ts"

/** `reverie tui` */
export function tuiCommand(program: Command, needs: CliNeeds): void {
  program
    .command("tui")
    .description("browse the memory, the inbox, the queue and the cycles in the terminal")
    .action(() => openTui(needs))
}

async function openTui(needs: CliNeeds): Promise<void> {
  if (!needs.input.isTTY || !process.stdout.isTTY)
    throw new UserError("usage", "`reverie tui` needs a terminal; `reverie status` prints a summary.")
  const api = openLongLivedClient({
    connect: () => needs.connect(),
    isDaemonUp: () => isDaemonUp(needs.paths.socket),
  })
  // Loads Ink and React, which no other command needs.
  const { runTui } = await import("../../tui/tui.ts")
  try {
    await runTui({ ...needs, screen: process.stdout, api })
  } finally {
    await api.close()
  }
}
