import { createReadStream, createWriteStream, existsSync, realpathSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { type Command, Option } from "commander"
import { codeOf, exitCodes, messageOf, UserError } from "../../../../base/errors.ts"
import { replaceFile } from "../../../../base/files/files.ts"
import { bytesText, count } from "../../../../base/text/text.ts"
import { importFormats } from "../../../../memory/model/kinds.ts"
import type { Imported } from "../../../../memory/write/import-run.ts"
import type { CliNeeds } from "../../needs.ts"
import { withClient } from "../../session.ts"
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
    .action(async (file: string | undefined, options: ExportOptions) => {
      if (
        file !== undefined &&
        file !== "-" &&
        existsSync(file) &&
        statSync(file).isFile() &&
        !options.force
      ) {
        throw new UserError("usage", `${file} exists; give --force to replace it.`)
      }
      if (file === "" || (file && !existsSync(dirname(file)))) {
        throw new UserError("usage", `The folder for ${file || "the file"} does not exist; make it first.`)
      }
      await withClient(needs, async (client) => {
        const body = await client.export(options.format, folder(needs, options.project))
        if (file === undefined || file === "-") {
          for await (const chunk of body) await needs.output.raw(chunk)
        } else await writeWhole(body, file)
      })
      if (file !== undefined && file !== "-")
        needs.output.say(`Wrote ${file} (${bytesText(statSync(file).size)}).`)
    })
}

interface ExportOptions {
  format: "json" | "markdown"
  project?: string | true
  force?: boolean
}

/** Writes a file whole or not at all; what is no plain file, such as a device, is written to as it is. */
async function writeWhole(body: ReadableStream<Uint8Array>, file: string): Promise<void> {
  const write = (path: string) =>
    pipeline(Readable.fromWeb(body as never), createWriteStream(path, { mode: 0o600 }))
  try {
    if (!existsSync(file)) await replaceFile(file, write)
    else if (statSync(file).isFile()) await replaceFile(realpathSync(file), write)
    else await write(file)
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError("failed", `${file} was not written: ${messageOf(error)}.`, { cause: error })
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
    const body = openInput(file)
    process.once("SIGINT", () => {
      needs.output.say("Interrupted; what was saved by now stays. `reverie undo` takes it back.")
      process.exit(exitCodes.interrupted)
    })
    const tally = await withClient(needs, (client) =>
      client.import({
        body,
        verbatim: options.verbatim ?? false,
        from: needs.cwd,
        ...foreignOptions(needs, file, options),
        onProgress: (done) => needs.output.progress(`Importing: ${count(done, "line")} …`),
      }),
    )
    if (tally.refused > 0) needs.setExitCode(exitCodes.refused)
    if (tally.failed > 0) needs.setExitCode(exitCodes.failed)
    for (const problem of tally.problems) needs.output.say(problem)
    if (options.json) return needs.output.json(tally)
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
  const counts = told
    .filter(([, number]) => number > 0)
    .map(([what, number]) => `${number.toLocaleString("en-US")} ${what}`)
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

function openInput(file: string): ReadableStream<Uint8Array> {
  if (file === "-") return Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
  try {
    if (!statSync(file).isFile()) throw new Error("it is not a file")
  } catch (error) {
    const reason = codeOf(error) === "ENOENT" ? "it does not exist" : messageOf(error)
    throw new UserError("usage", `${file} cannot be read: ${reason}.`)
  }
  const source = createReadStream(file)
  const body = file.endsWith(".gz") ? ReadableStream.from(unpacked(source, file)) : Readable.toWeb(source)
  return body as ReadableStream<Uint8Array>
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
