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
import type { Imported } from "../../../../memory/write/import-run.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"
import { openMeter } from "../../view/progress-meter.ts"
import { folder } from "../../view/view.ts"

/** `reverie memory export` */
export function exportCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("export")
    .description("write everything to a file (default: standard output)")
    .argument("[file]")
    .addOption(
      new Option("--format <format>", "lossless or readable").choices(["json", "markdown"]).default("json"),
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
  if (named !== "" && existsSync(path) && statSync(path).isFile() && !options.force) {
    throw new UserError("usage", `${named} exists; give --force to replace it.`)
  }
  if (named === "" || !existsSync(dirname(path))) {
    throw new UserError("usage", `The folder for ${named || "the file"} does not exist; make it first.`)
  }
  await withClient(needs, async (client) =>
    writeWhole(await client.export(options.format, folder(needs, options.project)), file),
  )
  needs.output.say(`Wrote ${named} (${bytesText(statSync(path).size)}).`)
}

interface ExportOptions {
  format: "json" | "markdown"
  project?: string | true
  force?: boolean
}

/** Writes a file whole or not at all; what is no plain file, such as a device, is written to as it is. */
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
      "take in an export, JSON Lines or what another tool wrote (- reads standard input, .gz is unpacked)",
    )
    .argument("<file>")
    .addOption(new Option("--format <format>", "what the file is").choices(importFormats).default("auto"))
    .option("--project [dir]", "memories of another tool belong to the project of this folder")
    .option("--no-project", "notes of a project's folder are for everywhere")
    .option("--verbatim", "store each line as it is, without merging")
    .option("--json", "answer in JSON")
  // Of two options with one name only the last is known afterwards.
  const said = new Set<string>()
  for (const name of ["project", "no-project"]) command.on(`option:${name}`, () => said.add(name))
  command.action(async (file: string, options: ImportOptions) => {
    if (said.size > 1)
      throw new UserError("usage", "--project and --no-project contradict each other; leave out one of them.")
    const { body, share } = openInput(needs, file)
    const meter = openMeter(needs, { doing: "Importing", unit: "lines" })
    const onInterrupt = () => {
      needs.output.say("Interrupted; what was saved by now stays. `reverie undo` takes it back.")
      process.exit(exitCodes.interrupted)
    }
    process.once("SIGINT", onInterrupt)
    const tally = await withClient(needs, (client) =>
      client.import({
        body,
        verbatim: options.verbatim ?? false,
        from: needs.cwd,
        ...foreignOptions(needs, file, options),
        onProgress: (done) => meter.tell({ done, share: share() }),
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

/** In one sentence what became of every line. */
function summary(tally: Imported): string {
  const told = [
    ["saved", tally.saved],
    ["made stronger", tally.reinforced],
    ["saved where one replaces another", tally.superseded],
    ["saved in conflict with another", tally.conflicts],
    ["updated", tally.updated],
    ["unchanged", tally.unchanged],
    ["refused", tally.refused],
    ["failed", tally.failed],
  ] as const
  const counts = told.filter(([, number]) => number > 0).map(([what, number]) => `${grouped(number)} ${what}`)
  if (counts.length === 0) return "Nothing was imported: there is nothing in it."
  return `Imported in ${tally.seconds.toFixed(1)} s: ${counts.join(", ")}.`
}

interface ImportOptions {
  verbatim?: boolean
  format: (typeof importFormats)[number]
  project?: string | boolean
  json?: boolean
}

/** What the command line says about a file of another tool. */
function foreignOptions(needs: CliNeeds, file: string, { format, project }: ImportOptions) {
  const isNotes = format === "auto" && /\.(md|markdown)(\.gz)?$/i.test(file)
  return {
    format: isNotes ? ("markdown" as const) : format,
    project: project === false ? undefined : folder(needs, project),
    beside: project === false || file === "-" ? undefined : dirname(resolve(needs.cwd, file)),
  }
}

/** What is imported, and how much of it was read; that is not known of what is piped in. */
interface Opened {
  body: ReadableStream<Uint8Array>
  share(): number | undefined
}

function openInput(needs: CliNeeds, file: string): Opened {
  if (file === "-")
    return { body: Readable.toWeb(needs.input) as ReadableStream<Uint8Array>, share: () => undefined }
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
    throw new UserError("usage", `${file} is not a whole packed file (${messageOf(error)}).`, {
      cause: error,
    })
  }
}
