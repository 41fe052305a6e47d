import type { Clock } from "../../base/clock.ts"
import { UserError } from "../../base/errors.ts"
import type { HookTool } from "../hooks/dialect.ts"
import { readText, removeFile, writeText } from "./files.ts"
import type { DataFolder } from "./folder.ts"
import type { FileChange } from "./plan.ts"
import { backUp, hashOf, noteRecord, readRecords } from "./records.ts"

interface ApplyNeeds extends DataFolder {
  clock: Clock
}

/** Whose connection it is. */
interface Whose {
  tool: HookTool
  project: string | undefined
}

/** Does what was planned and shown, after a copy of each file was put aside; gives the copies. */
export function applyConnecting(
  needs: ApplyNeeds,
  whose: Whose,
  changes: readonly FileChange[],
): { file: string; backup: string | null }[] {
  return changes.map(({ file, before, after = "", original }) => {
    refuseChanged(file, before)
    const backup = original === undefined ? null : backUp(needs, file, original, needs.clock.now())
    const known = readRecords(needs).find((record) => record.file === file)
    const madeFolder = writeText(file, after) ?? known?.madeFolder ?? null
    const record = { tool: whose.tool, project: whose.project ?? null, file, backup, madeFolder }
    noteRecord(needs, file, { ...record, wrote: hashOf(after) })
    return { file, backup }
  })
}

/** Puts back what was there before; the file for which a folder was made goes after the others in it. */
export function applyDisconnecting(needs: ApplyNeeds, changes: readonly FileChange[]): void {
  for (const { file, before, after } of changes.toReversed()) {
    refuseChanged(file, before)
    const record = readRecords(needs).find((one) => one.file === file)
    if (after === undefined) removeFile(file, record?.madeFolder ?? null)
    else writeText(file, after)
    noteRecord(needs, file, undefined)
  }
}

/** What was shown must be what is done. */
function refuseChanged(file: string, before: string | undefined): void {
  if (readText(file) === before) return
  throw new UserError("conflict", `${file} was changed in the meantime; run the command again.`)
}
