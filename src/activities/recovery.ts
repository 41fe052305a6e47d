import { UserError } from "../base/errors.ts"
import { isDamage } from "../storage/sqlite/errors.ts"
import { listSnapshots, type Snapshot } from "./snapshots.ts"

/** Refuses to start with an empty database if snapshots show that there was one. */
export async function refuseEmptyWithSnapshots(directory: string, file: string): Promise<void> {
  const newest = await newestCopy(directory)
  if (newest === undefined) return
  const anew = "To start with an empty memory instead, run `reverie init --empty`."
  throw new UserError(
    "lost",
    `${file} is missing or empty, but there are snapshots; ${restoreAdvice(newest)} ${anew}`,
  )
}

/** Adds advice to the error of a damaged database. */
export async function withSnapshotAdvice(error: unknown, directory: string): Promise<unknown> {
  if (!(error instanceof UserError) || !isDamage(error)) return error
  const newest = await newestCopy(directory)
  if (newest === undefined) return error
  const advice = restoreAdvice(newest)
  const sentence = error.message.replace(/\.$/, "")
  return new UserError(
    error.kind,
    `${sentence}. To continue with a snapshot, ${advice} The current file is kept next to it.`,
    { cause: error },
  )
}

function restoreAdvice({ name }: Snapshot): string {
  return `restore the newest with \`reverie snapshot restore ${name}\` (\`reverie snapshot list\` shows all).`
}

/** Only copies of the file count: an export of PostgreSQL says nothing about it. */
async function newestCopy(directory: string): Promise<Snapshot | undefined> {
  return (await listSnapshots(directory)).find(({ name, bytes }) => name.endsWith(".db") && bytes > 0)
}
