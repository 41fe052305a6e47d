import { createReadStream, createWriteStream, existsSync, realpathSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { type Command, Option } from "commander"
import { codeOf, exitCodes, messageOf, UserError } from "../../../base/errors.ts"
import { replaceFile } from "../../../base/files.ts"
import { bytesText, count } from "../../../base/text.ts"
import type { CliNeeds } from "../needs.ts"
import { withClient } from "../session.ts"

/** `reverie memory export` */
export function exportCommand(memory: Command, needs: CliNeeds): void {
  memory
    .command("export")
    .description("write everything to a file (default: standard output)")
    .argument("[file]")
    .addOption(
      new Option("--format <format>", "lossless or readable").choices(["json", "markdown"]).default("json"),
    )
    .option("--force", "replace the file if it exists")
    .action(async (file: string | undefined, options: { format: "json" | "markdown"; force?: boolean }) => {
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
        const body = await client.export(options.format)
        if (file === undefined || file === "-") {
          for await (const chunk of body) await needs.output.raw(chunk)
        } else await writeWhole(body, file)
      })
      if (file !== undefined && file !== "-")
        needs.output.say(`Wrote ${file} (${bytesText(statSync(file).size)}).`)
    })
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
  memory
    .command("import")
    .description("take in an export or JSON Lines (- reads standard input, .gz is unpacked)")
    .argument("<file>")
    .option("--verbatim", "store each line as it is, without merging")
    .option("--json", "answer in JSON")
    .action(async (file: string, options: { verbatim?: boolean; json?: boolean }) => {
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
          onProgress: (done) => needs.output.progress(`Importing: ${count(done, "line")} …`),
        }),
      )
      if (tally.refused > 0) needs.setExitCode(exitCodes.refused)
      if (tally.failed > 0) needs.setExitCode(exitCodes.failed)
      for (const problem of tally.problems) needs.output.say(problem)
      if (options.json) return needs.output.json(tally)
      const told = [
        ["saved", tally.saved],
        ["made stronger", tally.reinforced],
        ["unchanged", tally.unchanged],
        ["refused", tally.refused],
        ["failed", tally.failed],
      ] as const
      const counts = told.map(([what, number]) => `${number.toLocaleString("en-US")} ${what}`).join(", ")
      needs.output.say(`Imported in ${tally.seconds.toFixed(1)} s: ${counts}.`)
    })
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
