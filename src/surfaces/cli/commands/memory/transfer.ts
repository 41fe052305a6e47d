import { createReadStream, createWriteStream, existsSync, realpathSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { type Command, Option } from "commander"
import { codeOf, exitCodes, messageOf, UserError } from "../../../../base/errors.ts"
import { replaceFile } from "../../../../base/files/files.ts"
import { bytesText, grouped } from "../../../../base/text/text.ts"
import { importFormats } from "../../../../memory/model/kinds.ts"
import type { ImportSummary } from "../../../../memory/write/import-run.ts"
import { withClient } from "../../api-command.ts"
import type { CliNeeds } from "../../needs.ts"
import { folder } from "../../scope-options.ts"
import { openMeter } from "../../view/progress-meter.ts"

/** `reverie memory export` */
export function exportCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("export")
    .description("export all memories to a file (default: standard output)")
    .argument("[file]")
    .addOption(
      new Option("--format <format>", "json is lossless, markdown is for reading")
        .choices(["json", "markdown"])
        .default("json"),
    )
    .option("--project [dir]", "only what belongs to the project of this folder (default: the current one)")
    .option("--force", "replace the file if it exists")
    .action((file: string | undefined, options: ExportOptions) =>
      file === undefined || file === "-"
        ? writeOut(needs, options)
        : exportTo(needs, { named: file, path: resolve(needs.cwd, file) }, options),
    )
}

async function writeOut(needs: CliNeeds, options: ExportOptions): Promise<void> {
  await withClient(needs, async (client) => {
    const body = await client.export(options.format, folder(needs, options.project))
    for await (const chunk of body) await needs.output.raw(chunk)
  })
}

/** A file as the user named it, and where it is. */
interface NamedFile {
  named: string
  path: string
}

async function exportTo(needs: CliNeeds, file: NamedFile, options: ExportOptions): Promise<void> {
  const { named, path } = file
  requireName(named)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw new UserError("usage", `${named} is a folder; name a file.`)
  if (found?.isFile() && !options.force) {
    throw new UserError("usage", `${named} exists; give --force to replace it.`)
  }
  if (!existsSync(dirname(path))) {
    throw new UserError("usage", `The folder for ${named} does not exist; make it first.`)
  }
  await withClient(needs, async (client) =>
    writeWhole(await client.export(options.format, folder(needs, options.project)), file),
  )
  needs.output.say(`Wrote ${named} (${bytesText(statSync(path).size)}).`)
}

function requireName(file: string): void {
  if (file === "") throw new UserError("usage", "The name of the file is empty; give one.")
}

interface ExportOptions {
  format: "json" | "markdown"
  project?: string | true
  force?: boolean
}

/** Writes a regular file completely or not at all; a device is written to directly. */
async function writeWhole(body: ReadableStream<Uint8Array>, { named, path }: NamedFile): Promise<void> {
  const write = (to: string) =>
    pipeline(Readable.fromWeb(body as never), createWriteStream(to, { mode: 0o600 }))
  try {
    if (!existsSync(path)) await replaceFile(path, write)
    else if (statSync(path).isFile()) await replaceFile(realpathSync(path), write)
    else await write(path)
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError("failed", `${named} was not written: ${messageOf(error)}.`, { cause: error })
  }
}

/** `reverie memory import` */
export function importCommand(memory: Command, needs: CliNeeds): void {
  const command = memory
    .command("import")
    .description(
      "import an export, JSON Lines or another tool's file (- reads standard input, .gz is unpacked)",
    )
    .argument("<file>")
    .addOption(
      new Option("--format <format>", "the format of the file").choices(importFormats).default("auto"),
    )
    .option("--project [dir]", "another tool's memories belong to the project of this folder")
    .option("--no-project", "notes in a project's folder become global memories")
    .option("--verbatim", "store each line unchanged, without merging")
    .option("--json", "print JSON")
  // Commander keeps only the last of --project and --no-project.
  const names = new Set<string>()
  for (const name of ["project", "no-project"]) command.on(`option:${name}`, () => names.add(name))
  command.action(async (file: string, options: ImportOptions) => {
    if (names.size > 1)
      throw new UserError("usage", "--project and --no-project contradict each other; leave out one of them.")
    const { body, share } = openInput(needs, file)
    const meter = openMeter(needs, { doing: "Importing", unit: "lines" })
    const onInterrupt = () => {
      needs.output.say("Interrupted; what was imported so far stays. `reverie undo` undoes it.")
      process.exit(exitCodes.interrupted)
    }
    process.once("SIGINT", onInterrupt)
    const tally = await withClient(needs, (client) =>
      client.import({
        body,
        verbatim: options.verbatim ?? false,
        from: needs.cwd,
        ...otherToolOptions(needs, file, options),
        onProgress: (done) => meter.update({ done, share: share() }),
      }),
    ).finally(() => {
      meter.end()
      process.off("SIGINT", onInterrupt)
    })
    if (tally.refused > 0) needs.setExitCode(exitCodes.refused)
    if (tally.failed > 0) needs.setExitCode(exitCodes.failed)
    for (const problem of tally.problems) needs.output.say(problem)
    if (options.json) return needs.output.json({ schemaVersion: 1, ...tally })
    needs.output.say(summary(tally))
  })
}

/** The results in one sentence. */
function summary(tally: ImportSummary): string {
  const results = [
    ["saved", tally.saved],
    ["strengthened", tally.reinforced],
    ["saved where one replaces another", tally.superseded],
    ["saved in conflict with another", tally.conflicts],
    ["updated", tally.updated],
    ["unchanged", tally.unchanged],
    ["refused", tally.refused],
    ["failed", tally.failed],
  ] as const
  const counts = results
    .filter(([, number]) => number > 0)
    .map(([what, number]) => `${grouped(number)} ${what}`)
  if (counts.length === 0) return "Nothing was imported: the file contains no memories."
  return `Imported in ${tally.seconds.toFixed(1)} s: ${counts.join(", ")}.`
}

interface ImportOptions {
  verbatim?: boolean
  format: (typeof importFormats)[number]
  project?: string | boolean
  json?: boolean
}

/** The options for another tool's file. */
function otherToolOptions(needs: CliNeeds, file: string, { format, project }: ImportOptions) {
  const isNotes = format === "auto" && /\.(md|markdown)(\.gz)?$/i.test(file)
  return {
    format: isNotes ? ("markdown" as const) : format,
    project: project === false ? undefined : folder(needs, project),
    beside: project === false || file === "-" ? undefined : dirname(resolve(needs.cwd, file)),
  }
}

/** The input, and which share of it was read; unknown for a pipe. */
interface Opened {
  body: ReadableStream<Uint8Array>
  share(): number | undefined
}

function openInput(needs: CliNeeds, file: string): Opened {
  if (file === "-")
    return { body: Readable.toWeb(needs.input) as ReadableStream<Uint8Array>, share: () => undefined }
  requireName(file)
  const path = resolve(needs.cwd, file)
  try {
    if (!statSync(path).isFile()) throw new Error("it is not a file")
  } catch (error) {
    const reason = codeOf(error) === "ENOENT" ? "it does not exist" : messageOf(error)
    throw new UserError("usage", `${file} cannot be read: ${reason}.`)
  }
  const source = createReadStream(path)
  const body = file.endsWith(".gz") ? ReadableStream.from(unpacked(source, file)) : Readable.toWeb(source)
  const bytes = statSync(path).size
  return { body: body as ReadableStream<Uint8Array>, share: () => source.bytesRead / Math.max(1, bytes) }
}

async function* unpacked(source: Readable, file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* source.pipe(createGunzip())
  } catch (error) {
    throw new UserError("usage", `${file} is not a complete gzip file (${messageOf(error)}).`, {
      cause: error,
    })
  }
}
