import type { Command } from "commander"
import { probeSocket } from "../../../api/socket-fetch.ts"
import { exitCodes } from "../../../base/errors.ts"
import { count } from "../../../base/text.ts"
import { version } from "../../../base/version.ts"
import type { CliNeeds } from "../needs.ts"
import { table } from "../output.ts"
import { withClient } from "../session.ts"

/** `reverie doctor` */
export function doctorCommand(program: Command, needs: CliNeeds): void {
  program
    .command("doctor")
    .description("look for problems and say how to mend them")
    .option("--json", "answer in JSON")
    .action(async (options: { json?: boolean }) => {
      const { examine } = await import("../../../activities/doctor.ts")
      const checks = await examine({
        ...needs,
        version,
        nodeVersion: process.versions.node,
        openDatabase: async () => (await needs.openLocal()).db,
        askDaemon: () => askDaemon(needs),
      })
      const errors = checks.filter((check) => !check.ok && check.severity === "error").length
      if (errors > 0) needs.setExitCode(exitCodes.failed)
      if (options.json) return needs.output.json({ schemaVersion: 1, checks })
      const mark = (ok: boolean, severity: string) => {
        if (ok) return needs.output.paint("green", "ok   ")
        return severity === "error"
          ? needs.output.paint("red", "error")
          : needs.output.paint("yellow", "warn ")
      }
      needs.output.data(
        table(
          checks.map(({ ok, severity, id, message, fixHint }) => [
            mark(ok, severity),
            id,
            join(message, fixHint),
          ]),
        ),
      )
      needs.output.say(errors > 0 ? `\n${count(errors, "problem")} found.` : "\nAll is well.")
    })
}

function join(message: string, fixHint: string): string {
  return fixHint === "" ? message : `${message.replace(/\.$/, "")}. ${fixHint}`
}

async function askDaemon(needs: CliNeeds): Promise<{ version: string; pid: number } | null> {
  if ((await probeSocket(needs.paths.socket)) === "nobody") return null
  const { daemon } = await withClient(needs, (client) => client.status())
  return daemon.running ? daemon : null
}
