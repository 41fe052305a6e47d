import type { Command } from "commander"
import type { Check, Fix } from "../../../../activities/check.ts"
import type { Client } from "../../../../api/client.ts"
import { isDaemonUp } from "../../../../api/socket-fetch.ts"
import { exitCodes } from "../../../../base/errors.ts"
import { count } from "../../../../base/text/text.ts"
import { version } from "../../../../base/version.ts"
import { withClient } from "../../api-command.ts"
import { withCommandName } from "../../command-name.ts"
import { toolStates } from "../../connected-tools.ts"
import type { CliNeeds } from "../../needs.ts"
import { table } from "../../output.ts"
import type { Fixed } from "./fix.ts"

/** `reverie doctor` */
export function doctorCommand(program: Command, needs: CliNeeds): void {
  program
    .command("doctor")
    .description("find problems and say how to fix them")
    .option("--fix", "fix what can be fixed without asking you")
    .option("--json", "print JSON")
    .action(async (options: { fix?: boolean; json?: boolean }) => {
      const fixed = options.fix ? await fixAll(needs) : undefined
      const checks = await examineAll(needs)
      const errors = checks.filter((check) => !check.ok && check.severity === "error").length
      const warnings = checks.filter((check) => !check.ok && check.severity === "warning").length
      if (errors > 0) needs.setExitCode(exitCodes.failed)
      if (options.json) return needs.output.json({ schemaVersion: 1, checks, ...(fixed ? { fixed } : {}) })
      showChecks(needs, checks)
      for (const one of fixed ?? []) reportFixed(needs, one)
      if (!options.fix) reportFixable(needs, checks)
      needs.output.say(`\n${verdict(errors, warnings)}`)
    })
}

function showChecks({ output, env }: CliNeeds, checks: readonly Check[]): void {
  const mark = ({ ok, severity }: Check) => {
    if (ok) return output.paint("green", "ok   ")
    return severity === "error" ? output.paint("red", "error") : output.paint("yellow", "warn ")
  }
  const rows = checks.map((check) => [mark(check), check.id, withCommandName(withHint(check), env.command)])
  output.data(table(rows, output.width, "wrap"))
}

function reportFixable({ output }: CliNeeds, checks: readonly Check[]): void {
  const fixable = fixesOf(checks).length
  if (fixable > 0) output.say(`\n\`reverie doctor --fix\` fixes ${fixable} of these.`)
}

function fixesOf(checks: readonly Check[]): Fix[] {
  return checks.flatMap(({ ok, fix }) => (ok || fix === undefined ? [] : [fix]))
}

async function examineAll(needs: CliNeeds): Promise<Check[]> {
  const { runChecks: examine } = await import("../../../../activities/doctor.ts")
  const { loadInstall } = await import("../../../../config/install.ts")
  return examine({
    ...needs,
    version,
    nodeVersion: process.versions.node,
    loadInstall: () => loadInstall(needs.paths.installFile, needs.random),
    askDaemon: () => askDaemon(needs, (client) => client.daemon()),
    askChat: () =>
      askDaemon(needs, async (client) => (await client.chat()).chat ?? { channels: [], problems: [] }),
    readToolStates: () => toolStates(needs),
  })
}

async function fixAll(needs: CliNeeds): Promise<Fixed[]> {
  const { applyFixes } = await import("./fix.ts")
  return applyFixes(needs, fixesOf(await examineAll(needs)))
}

function reportFixed({ output }: CliNeeds, { what, outcome, reason }: Fixed): void {
  output.say(outcome === "fixed" ? `Fixed: ${what}.` : `Not fixed: ${what}. ${reason ?? ""}`.trim())
}

function verdict(errors: number, warnings: number): string {
  if (errors + warnings === 0) return "No problems found."
  return `${count(errors, "problem")}, ${count(warnings, "warning")}.`
}

function withHint({ message, fixHint }: Check): string {
  if (fixHint === "") return message
  return /[.?!)]$/.test(message) ? `${message} ${fixHint}` : `${message}. ${fixHint}`
}

/** Asks the daemon; null where none runs. */
async function askDaemon<T>(needs: CliNeeds, ask: (client: Client) => Promise<T>): Promise<T | null> {
  return (await isDaemonUp(needs.paths.socket)) ? withClient(needs, ask) : null
}
