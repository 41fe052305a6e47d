import { createHash, randomUUID } from "node:crypto"
import { createReadStream, existsSync, readdirSync, renameSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { messageOf, UserError } from "../../base/errors.ts"
import { withFileLock } from "../../base/files/file-lock.ts"
import { fileError, makePrivateFolder } from "../../base/files/files.ts"
import type { Log } from "../../base/log.ts"
import { isAlive } from "../../base/processes.ts"
import { systemRandom } from "../../base/random.ts"
import type { WeightFiles } from "../local.ts"
import type { LocalModel, ModelFile } from "../models.ts"
import { type DownloadHost, download, type Receive } from "./download.ts"

/** The folders with a subfolder for each model. */
interface ModelFolders {
  /** Shared by all of the user's installations on this machine; models are downloaded into it. */
  modelsDir: string
  /** This installation's own, used where the shared one lacks the model. */
  legacyModelsDir: string | undefined
}

export interface WeightsHost extends DownloadHost, ModelFolders {
  log: Log
  /** Called for every received part of a file. */
  onProgress?(progress: { file: string; received: number; bytes: number }): void
}

export interface WeightsSettings {
  /** A folder with the files; empty for the models folder. */
  path: string
  /** Whether they may be downloaded. */
  download: boolean
}

/** Finds the files of a model, or downloads them. A file with another sha256 is refused. */
export async function findWeights(
  needs: WeightsHost,
  model: LocalModel,
  settings: WeightsSettings,
): Promise<WeightFiles> {
  const folder = folderOf(needs, model, settings)
  // The small one first: a source with other bytes then fails early.
  const wanted = [model.tokenizer, model.weights]
  if (settings.path !== "") await requireAll(folder, wanted)
  else if ((await missingOf(needs, folder, wanted)).length > 0) {
    const fetchAll = () => fetchMissing(needs, model, folder, wanted, settings.download)
    await (settings.download ? withDownloadLock(needs, folder, fetchAll) : fetchAll())
  }
  return { modelFile: join(folder, model.weights.name), tokenizerFile: join(folder, model.tokenizer.name) }
}

/** The folder of a model: the shared one, unless only the installation's own has all files. */
function folderOf(
  { modelsDir, legacyModelsDir }: ModelFolders,
  model: LocalModel,
  { path }: Pick<WeightsSettings, "path">,
): string {
  if (path !== "") return path
  const [shared = "", own] = [modelsDir, legacyModelsDir].map((folder) =>
    folder === undefined ? undefined : join(folder, `${model.name}-${model.precision}`),
  )
  return own !== undefined && !isWhole(shared, model) && isWhole(own, model) ? own : shared
}

function isWhole(folder: string, model: LocalModel): boolean {
  return [model.tokenizer, model.weights].every((file) => existsSync(join(folder, file.name)))
}

/** Whether a model's files exist; they are not read. */
export function hasWeights(
  folders: ModelFolders,
  model: LocalModel,
  settings: Pick<WeightsSettings, "path">,
): boolean {
  return isWhole(folderOf(folders, model, settings), model)
}

/**
 * Downloads while no other process does, so that the second finds the files of the first. Where the lock takes too long or
 * the folder supports none, both download: each into a temporary file of its own.
 */
async function withDownloadLock(
  needs: WeightsHost,
  folder: string,
  work: () => Promise<void>,
): Promise<void> {
  let isOurs = false
  try {
    await withFileLock({ clock: needs.clock, random: systemRandom }, folder, () => {
      isOurs = true
      return work()
    })
  } catch (error) {
    if (isOurs) throw error
    await work()
  }
}

async function requireAll(folder: string, wanted: readonly ModelFile[]): Promise<void> {
  for (const file of wanted) {
    const state = await stateOf(folder, file)
    if (state === "right") continue
    const found = state === "missing" ? "is missing" : "is not the file Reverie knows (its sha256 differs)"
    const advice = "put the right one there, or empty embedding.path to download it."
    throw new UserError("config", `${join(folder, file.name)} ${found}; ${advice}`)
  }
}

async function fetchMissing(
  needs: WeightsHost,
  model: LocalModel,
  folder: string,
  wanted: readonly ModelFile[],
  mayDownload: boolean,
): Promise<void> {
  const missing = await missingOf(needs, folder, wanted)
  if (missing.length === 0) return
  if (!mayDownload) throw downloadsOff(model, folder, missing)
  makePrivateFolder(folder)
  removeLeftovers(folder)
  const faults: string[] = []
  for (const source of model.sources) {
    const left = missing.filter((file) => !existsSync(join(folder, file.name)))
    if (left.length === 0) return
    if (!left.some((file) => source.paths[file.name] !== undefined)) continue
    needs.log.info("Downloading an embedding model", { model: model.name, from: source.name })
    try {
      await download(needs, source, left, receiveInto(needs, folder))
    } catch (error) {
      if (error instanceof UserError) throw error
      faults.push(`${source.name}: ${messageOf(error)}${causeOf(error)}`)
    }
  }
  const left = missing.filter((file) => !existsSync(join(folder, file.name)))
  if (left.length > 0) throw notFetched(model, folder, faults)
}

/** Files that are missing or have the wrong content; the latter are deleted, so that they are downloaded again. */
async function missingOf(needs: WeightsHost, folder: string, wanted: readonly ModelFile[]) {
  const missing: ModelFile[] = []
  for (const file of wanted) {
    const state = await stateOf(folder, file)
    if (state === "right") continue
    if (state === "wrong") {
      needs.log.warn("A file of the embedding model was changed or is incomplete; it is downloaded again", {
        file: join(folder, file.name),
      })
      rmSync(join(folder, file.name), { force: true })
    }
    missing.push(file)
  }
  return missing
}

async function stateOf(folder: string, file: ModelFile): Promise<"right" | "wrong" | "missing"> {
  const path = join(folder, file.name)
  if (!existsSync(path)) return "missing"
  const hash = createHash("sha256")
  try {
    for await (const part of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(part)
  } catch (error) {
    throw fileError(error, path)
  }
  return hash.digest("hex") === file.sha256 ? "right" : "wrong"
}

/** Writes to a temporary file, and renames it only if it is complete and has the right sha256. */
function receiveInto({ onProgress }: WeightsHost, folder: string): Receive {
  return async (file, content) => {
    const part = join(folder, `${file.name}.${process.pid}.${randomUUID()}.part`)
    try {
      await writeChecked(part, file, content, onProgress)
      renameSync(part, join(folder, file.name))
    } catch (error) {
      rmSync(part, { force: true })
      throw fileError(error, part)
    }
  }
}

async function writeChecked(
  part: string,
  file: ModelFile,
  content: AsyncIterable<Uint8Array>,
  onProgress: WeightsHost["onProgress"],
): Promise<void> {
  const hash = createHash("sha256")
  const written = await open(part, "wx", 0o600)
  let received = 0
  try {
    for await (const bytes of content) {
      received += bytes.length
      if (received > file.bytes) throw new Error(`${file.name} is longer than it should be`)
      hash.update(bytes)
      await written.write(bytes)
      onProgress?.({ file: file.name, received, bytes: file.bytes })
    }
    if (received < file.bytes)
      throw new Error(`${file.name} breaks off after ${received} of ${file.bytes} bytes`)
    if (hash.digest("hex") !== file.sha256) throw new Error(`${file.name} has another sha256 than it should`)
    await written.sync()
  } finally {
    await written.close()
  }
}

/** Deletes the temporary files of processes that no longer run. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /\.(\d+)\.[0-9a-f-]+\.part$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

function downloadsOff(model: LocalModel, folder: string, missing: readonly ModelFile[]): UserError {
  const names = missing.map((file) => file.name).join(" and ")
  const [source] = model.sources
  const advice = `set embedding.download to true, or put them there from huggingface.co/${source?.name}`
  return new UserError(
    "config",
    `The embedding model ${model.name} is not in ${folder} (${names}) and may not be downloaded; ${advice}.`,
  )
}

function notFetched(model: LocalModel, folder: string, faults: readonly string[]): UserError {
  const advice = `check the connection and try again, or put the files into ${folder} yourself`
  return new UserError(
    "failed",
    `The embedding model ${model.name} could not be downloaded (${faults.join("; ")}); ${advice}.`,
  )
}

/** fetch puts the reason of a failed connection into the cause. */
function causeOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : ""
}
