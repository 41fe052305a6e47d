import { existsSync, readFileSync } from "node:fs"
import type { Command } from "commander"
import type { EntryJson } from "../../../../api/contract/memory-answers.ts"
import { sleep } from "../../../../base/clock.ts"
import { readTail } from "../../../../coding/reading/tail.ts"
import { withClient } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { wholeNumber } from "../../option-values.ts"
import { table } from "../../output.ts"
import { entryRow } from "../../view/entry.ts"

interface LogsOptions {
  lines: number
  follow?: boolean
  json?: boolean
}

/** `reverie logs` and `reverie journal` */
export function logsCommands(program: Command, needs: CliNeeds): void {
  program
    .command("logs")
    .description("show the daemon's log")
    .option("-n, --lines <number>", "how many lines", wholeNumber(9999), 50)
    .option("-f, --follow", "keep printing as more is written")
    .option("--json", "print one JSON object per line, with all fields")
    .action((options: LogsOptions) => showLog(needs, options))
  program
    .command("journal")
    .description("show what happened, entry by entry")
    .option("-n, --lines <number>", "how many entries", wholeNumber(9999), 20)
    .option("-f, --follow", "keep printing as more happens")
    .option("--json", "print one JSON object per line")
    .action((options: LogsOptions) => showJournal(needs, options))
}

async function showLog(needs: CliNeeds, options: LogsOptions): Promise<void> {
  const file = needs.paths.logFile
  if (!existsSync(file)) {
    needs.output.say("There is no log yet; the daemon writes it. Start it with `reverie start`.")
    if (!options.follow) return
  }
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  const lines = text.split("\n").filter((line) => line !== "")
  for (const line of lines.slice(-options.lines))
    needs.output.data(options.json ? jsonLine(line) : logLine(line))
  if (options.follow) await followLog(needs, file, Buffer.byteLength(text), options)
}

/** Polls the end of the file, without a limit on what is read at once. A file that became shorter was rotated. */
async function followLog(needs: CliNeeds, file: string, from: number, options: LogsOptions): Promise<never> {
  const limits = { chunkBytes: Number.MAX_SAFE_INTEGER, longestLine: Number.MAX_SAFE_INTEGER }
  for (let position = from; ; ) {
    await sleep(needs.clock, 250)
    const tail = existsSync(file) ? await readTail(file, position, limits) : { lines: [], position: 0 }
    for (const line of tail.lines) needs.output.data(options.json ? jsonLine(line) : logLine(line))
    position = tail.position
  }
}

/** One line of the log for people; other lines, such as a crash, unchanged. */
function logLine(line: string): string {
  try {
    const { at, level, message, ...fields } = JSON.parse(line)
    const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    return [at, String(level).padEnd(5), message, ...rest].join("  ")
  } catch {
    return line
  }
}

/** One line of the log for programs. */
function jsonLine(line: string): string {
  try {
    return JSON.stringify({ schemaVersion: 1, ...JSON.parse(line) })
  } catch {
    return JSON.stringify({ schemaVersion: 1, message: line })
  }
}

async function showJournal(needs: CliNeeds, options: LogsOptions): Promise<void> {
  const show = (entry: EntryJson) =>
    needs.output.data(
      options.json
        ? JSON.stringify({ schemaVersion: 1, ...entry })
        : table([entryRow(entry)], needs.output.width),
    )
  await withClient(needs, async (client) => {
    const { entries } = await client.journal({ limit: options.lines, newest: "true" })
    for (const entry of entries) show(entry)
    if (!options.follow) return
    const after = entries.at(-1)?.seq ?? 0
    for await (const entry of client.follow({ after }, new AbortController().signal)) show(entry)
    needs.output.say("The daemon stopped.")
  })
}
