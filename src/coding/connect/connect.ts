import { dirname } from "node:path"
import { UserError } from "../../base/errors.ts"
import { makePrivateFolder } from "../../base/files/files.ts"
import { clearCalls } from "./calls.ts"
import type { Connectable, ConnectHost, ConnectRequest, ConnectSetup } from "./connectable.ts"
import { readText, removeFile, writeText } from "./files.ts"
import { hookProgramText } from "./hook-command.ts"
import type { FileChange } from "./plan.ts"
import { backUp, hashOf, readRecords, saveRecord } from "./records.ts"

/** Makes the planned changes and installs the hook program. Returns the backup of each file. */
export function connectTool(
  { clock, paths, host }: ConnectSetup,
  { tool }: Connectable,
  { project }: ConnectRequest,
  plan: readonly FileChange[],
): { file: string; backup: string | null }[] {
  installHookProgram(host)
  if (plan.length > 0) clearCalls(paths, tool)
  return plan.map(({ file, before, after = "", original }) => {
    refuseChanged(file, before)
    const backup = original === undefined ? null : backUp(paths, file, original, clock.now())
    const known = readRecords(paths).find((record) => record.file === file)
    const madeFolder = writeText(file, after) ?? known?.madeFolder ?? null
    saveRecord(paths, file, {
      tool,
      project: project ?? null,
      file,
      backup,
      madeFolder,
      wrote: hashOf(after),
    })
    return { file, backup }
  })
}

/**
 * Makes the planned changes in reverse order, so that a folder is empty when the file that it was made for goes. The
 * hook program is removed with the last connection.
 */
export function disconnectTool(
  { paths, host }: ConnectSetup,
  { tool }: Connectable,
  plan: readonly FileChange[],
): void {
  clearCalls(paths, tool)
  for (const { file, before, after } of plan.toReversed()) {
    refuseChanged(file, before)
    const record = readRecords(paths).find((one) => one.file === file)
    if (after === undefined) removeFile(file, record?.madeFolder ?? null)
    else writeText(file, after)
    saveRecord(paths, file, undefined)
  }
  if (readRecords(paths).length === 0) removeFile(host.hookProgram, dirname(host.hookProgram))
}

/** Refuses to change a file that differs from what the user was shown. */
function refuseChanged(file: string, before: string | undefined): void {
  if (readText(file) === before) return
  throw new UserError("conflict", `${file} was changed in the meantime; run the command again.`)
}

/** Writes the hook program unless this version of it is already there. */
function installHookProgram(host: ConnectHost): void {
  const text = hookProgramText(host)
  if (readText(host.hookProgram) === text) return
  makePrivateFolder(dirname(host.hookProgram))
  writeText(host.hookProgram, text, 0o755)
}
