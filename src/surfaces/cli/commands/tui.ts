import type { Command } from "commander"
import { probeSocket } from "../../../api/socket-fetch.ts"
import { UserError } from "../../../base/errors.ts"
import { openLasting } from "../../lasting.ts"
import type { CliNeeds } from "../needs.ts"

/** `reverie tui` */
export function tuiCommand(program: Command, needs: CliNeeds): void {
  program
    .command("tui")
    .description("look at the memory, the inbox, the queue and the cycles in the terminal")
    .action(() => openTui(needs))
}

async function openTui(needs: CliNeeds): Promise<void> {
  if (!needs.input.isTTY || !process.stdout.isTTY)
    throw new UserError("usage", "`reverie tui` needs a terminal; `reverie status` prints the same in short.")
  const lasting = openLasting({
    connect: () => needs.connect(),
    isDaemonUp: async () => (await probeSocket(needs.paths.socket)) === "listening",
  })
  // Ink and React are loaded here alone: nothing else pays for them.
  const { runTui } = await import("../../tui/tui.ts")
  try {
    await runTui({ ...needs, screen: process.stdout, lasting })
  } finally {
    await lasting.close()
  }
}
