import type { Command } from "commander"
import type { Check } from "../../../../activities/check.ts"
import type { ChatState } from "../../../../api/contract/chat-answers.ts"
import { probeSocket } from "../../../../api/socket-fetch.ts"
import { exitCodes } from "../../../../base/errors.ts"
import { count } from "../../../../base/text/text.ts"
import { version } from "../../../../base/version.ts"
import { withCalledName } from "../../called.ts"
import { connectNeeds } from "../../connect-needs.ts"
import type { CliNeeds } from "../../needs.ts"
import { listed } from "../../output.ts"
import { withClient } from "../../session.ts"
import type { Fixed } from "./fix.ts"

/** `reverie doctor` */
export function doctorCommand(program: Command, needs: CliNeeds): void {
  program
    .command("doctor")
    .description("find problems and say how to fix them")
    .option("--fix", "fix what can be fixed without asking you")
    .option("--json", "answer in JSON")
    .action(async (options: { fix?: boolean; json?: boolean }) => {
      const fixed = options.fix ? await fixAll(needs) : undefined
      const checks = await examineAll(needs)
      const errors = checks.filter((check) => !check.ok && check.severity === "error").length
      const warnings = checks.filter((check) => !check.ok && check.severity === "warning").length
      if (errors > 0) needs.setExitCode(exitCodes.failed)
      if (options.json) return needs.output.json({ schemaVersion: 1, checks, ...(fixed ? { fixed } : {}) })
      showChecks(needs, checks)
      for (const one of fixed ?? []) tellFixed(needs, one)
      if (!options.fix) tellMendable(needs, checks)
      needs.output.say(`
${verdict(errors, warnings)}`)
    })
}

function showChecks({ output, env }: CliNeeds, checks: readonly Check[]): void {
  const mark = ({ ok, severity }: Check) => {
    if (ok) return output.paint("green", "ok   ")
    return severity === "error" ? output.paint("red", "error") : output.paint("yellow", "warn ")
  }
  const rows = checks.map((check) => [
    mark(check),
    check.id,
    withCalledName(join(check.message, check.fixHint), env.command),
  ])
  output.data(listed(rows, output.width))
}

function tellMendable({ output }: CliNeeds, checks: readonly Check[]): void {
  const mendable = checks.filter(({ ok, fix }) => !ok && fix !== undefined).length
  if (mendable > 0)
    output.say(`\n\`reverie doctor --fix\` fixes ${mendable === 1 ? "one" : mendable} of these.`)
}

async function examineAll(needs: CliNeeds): Promise<Check[]> {
  const { examine } = await import("../../../../activities/doctor.ts")
  const { loadInstall } = await import("../../../../config/install.ts")
  const { readToolStates } = await import("../../../../coding/connect/tool-state.ts")
  return examine({
    ...needs,
    version,
    nodeVersion: process.versions.node,
    loadInstall: () => loadInstall(needs.paths.installFile, needs.random),
    askDaemon: () => askDaemon(needs),
    askChat: () => askChat(needs),
    readToolStates: () => readToolStates(connectNeeds(needs)),
  })
}

async function fixAll(needs: CliNeeds): Promise<Fixed[]> {
  const { applyFixes } = await import("./fix.ts")
  const checks = await examineAll(needs)
  return applyFixes(
    needs,
    checks.flatMap(({ ok, fix }) => (ok || fix === undefined ? [] : [fix])),
  )
}

function tellFixed({ output }: CliNeeds, { what, outcome, reason }: Fixed): void {
  output.say(outcome === "fixed" ? `Fixed: ${what}.` : `Not fixed: ${what}. ${reason ?? ""}`.trim())
}

function verdict(errors: number, warnings: number): string {
  if (errors + warnings === 0) return "No problems found."
  return `${count(errors, "problem")}, ${count(warnings, "warning")}.`
}

function join(message: string, fixHint: string): string {
  return fixHint === ""
    ? message
    : /[.?!)]$/.test(message)
      ? `${message} ${fixHint}`
      : `${message}. ${fixHint}`
}

async function askChat(needs: CliNeeds): Promise<Pick<ChatState, "channels" | "problems"> | null> {
  if ((await probeSocket(needs.paths.socket)) === "nobody") return null
  return withClient(needs, async (client) => (await client.chat()).chat ?? { channels: [], problems: [] })
}

async function askDaemon(needs: CliNeeds): Promise<{ version: string; pid: number } | null> {
  if ((await probeSocket(needs.paths.socket)) === "nobody") return null
  return withClient(needs, (client) => client.daemon())
}
